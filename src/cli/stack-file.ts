// Where a run's stack record comes from: --stack, stack.yaml beside the config, or the flags of the embedded simulator.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { formatProblem } from '../problem';
import { parseStack, STACK_FILES, type StackRecord } from '../folder/stack';
import { UsageError, type CliIo } from './command';

/**
 * The record of a named file, or of the one beside the config; undefined when there is none. A named file that cannot be used is a
 * UsageError; one that merely lies there is said on standard error and left out.
 */
export function stackFor(named: string | undefined, configFile: string, io: CliIo): StackRecord | undefined {
  if (named !== undefined) return readStack(named, io);
  const folder = path.dirname(configFile);
  const beside = STACK_FILES.map((file) => path.join(folder, file)).find((file) =>
    existsSync(path.resolve(io.cwd, file)),
  );
  if (beside === undefined) return undefined;
  try {
    return readStack(beside, io);
  } catch (error) {
    io.err(`isoperf: warning: ${(error as Error).message} The run goes on without a stack record.\n`);
    return undefined;
  }
}

/** @param section of a text that holds several servers' arguments under `# name` lines */
export function readStack(file: string, io: CliIo, section?: string): StackRecord {
  let text: string;
  try {
    text = readFileSync(path.resolve(io.cwd, file), 'utf8');
  } catch (error) {
    throw new UsageError(`the stack record ${file} cannot be read: ${(error as Error).message}`);
  }
  const parsed = parseStack(text, file, section);
  if (parsed.ok) return parsed.value;
  throw new UsageError(parsed.problems.map((problem) => formatProblem(problem, file)).join('; '));
}

/** The embedded simulator knows what it is: its flags are its stack. */
export function simulatorStack(flags: string, version: string): StackRecord {
  const args = flags.split(/\s+/).filter((word) => word !== '');
  return {
    source: '--simulator',
    engine: 'isoperf simulate',
    engineVersion: version,
    args,
    accelerator: 'none (simulated)',
    replicas: 1,
  };
}
