// From a config's text to what a run takes; shared by `run` and `plan`.
import os from 'node:os';
import path from 'node:path';
import type { LoadedConfig } from '../config/load';
import { withRuntimeDefaults } from '../config/will/runtime';
import { formatProblem } from '../problem';
import type { RunInput } from '../run';
import { readFrozen, type FrozenStream } from '../run/frozen';
import { UsageError, type CliIo } from './command';
import { readInput } from './read-input';

export interface NamedConfig {
  /** As the user named it. */
  readonly file: string;
  readonly text: string;
}

export function runInput({ file, text }: NamedConfig, loaded: LoadedConfig, overrides: readonly string[]): RunInput {
  const config = withRuntimeDefaults(
    loaded.config,
    { cpus: os.availableParallelism(), nowMs: Date.now() },
    loaded.seed,
  );
  const fromConfig = loaded.config.load.base_seed === undefined ? 'clock' : 'load.base_seed';
  return {
    config,
    file,
    text,
    target: loaded.target,
    overrides,
    directives: loaded.directives,
    suppressions: loaded.suppressions,
    warmupStages: [...loaded.warmupStages],
    seedSource: loaded.seed === undefined ? fromConfig : 'directive',
  };
}

/** Keys whose value a frozen stream has fixed: another value would not be sent. */
const FIXED = [
  /^data\b/,
  /^load\b(?!\.(request_timeout|interval|circuit_breakers)\b)/,
  /^api\.(type|streaming|response_format)\b/,
  /^api$/,
  /^server\.ignore_eos\b/,
];

/** The first `--set` that a frozen stream rules out, as its key; undefined when there is none. */
function fixedOverride(overrides: readonly string[]): string | undefined {
  const keys = overrides.map((text) => text.split('=', 1)[0]!.trim());
  return keys.find((key) => FIXED.some((pattern) => pattern.test(key)));
}

/** The config to run, or the one inside a frozen stream; undefined after having said why there is none. */
export async function namedConfig(
  positionals: readonly string[],
  flags: { readonly frozen?: string | undefined; readonly set?: readonly string[] | undefined },
  io: CliIo,
): Promise<(NamedConfig & { readonly frozen?: FrozenStream }) | undefined> {
  const [file, ...more] = positionals;
  if (flags.frozen === undefined) {
    if (file === undefined) throw new UsageError('no config was named');
    if (more.length > 0) throw new UsageError(`one config at a time; '${more[0] ?? ''}' is one too many`);
    const text = readConfigText(file, io);
    return text === undefined ? undefined : { file, text };
  }
  if (file !== undefined) throw new UsageError(`--frozen brings its own config; '${file}' is one too many`);
  const fixed = fixedOverride(flags.set ?? []);
  if (fixed !== undefined) {
    throw new UsageError(`--set ${fixed} would change what is sent, and that is frozen; freeze another stream for it`);
  }
  const frozen = await readFrozen(flags.frozen, path.resolve(io.cwd, flags.frozen));
  if (frozen.ok) return { file: flags.frozen, text: frozen.value.origin.config, frozen: frozen.value };
  for (const problem of frozen.problems) io.err(`${formatProblem(problem, flags.frozen)}\n`);
  return undefined;
}

function readConfigText(file: string, io: CliIo): string | undefined {
  try {
    const input = readInput(path.resolve(io.cwd, file));
    if ('bytes' in input) return input.bytes.toString('utf8');
    io.err(`isoperf run: error: ${file} ${input.refused}\n`);
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : message;
    io.err(`isoperf run: error: ${file} cannot be read: ${why}. Name a config.yaml.\n`);
    return undefined;
  }
}
