// `isoperf schema`: the JSON Schemas of what IsoPerf reads and writes, for editors and for other programs.
import * as z from 'zod';
import { comparisonFileSchema } from '../comparability/comparison-file';
import { comparisonSchema } from '../comparability/comparison-schema';
import { configJsonSchema } from '../config/model/json-schema';
import { experimentSchema } from '../experiment/file';
import { manifestSchema } from '../folder/manifest';
import { EXIT, UsageError, type Command } from './command';
import { parseOptions } from './options';
import { own } from '../own';

export interface NamedSchema {
  /** File in schemas/. */
  readonly file: string;
  readonly what: string;
  readonly make: () => object;
}

/** Also what scripts/generate-schemas.mjs writes. */
export const SCHEMAS: Readonly<Record<string, NamedSchema>> = {
  config: {
    file: 'inference-perf-config.schema.json',
    what: 'config.yaml, as inference-perf main takes it',
    make: configJsonSchema,
  },
  run: {
    file: 'run-manifest.schema.json',
    what: 'run.json, the manifest in a report folder',
    make: () => ({
      $id: 'urn:isoperf:run-manifest',
      title: 'IsoPerf run manifest (run.json)',
      ...z.toJSONSchema(manifestSchema),
    }),
  },
  comparison: {
    file: 'comparison.schema.json',
    what: "the output of 'isoperf compare --json'",
    make: () => ({ $id: 'urn:isoperf:comparison', title: 'IsoPerf comparison', ...z.toJSONSchema(comparisonSchema) }),
  },
  'comparison-file': {
    file: 'comparison-file.schema.json',
    what: "a comparison to be asked again: what 'isoperf compare COMPARISON.yaml' reads",
    make: () => ({
      $id: 'urn:isoperf:comparison-file',
      title: 'IsoPerf comparison file (comparison.yaml)',
      ...z.toJSONSchema(comparisonFileSchema),
    }),
  },
  experiment: {
    file: 'experiment.schema.json',
    what: "an experiment: what 'isoperf experiment' reads",
    make: () => ({
      $id: 'urn:isoperf:experiment',
      title: 'IsoPerf experiment (experiment.yaml)',
      ...z.toJSONSchema(experimentSchema),
    }),
  },
};

const NAMES = Object.keys(SCHEMAS);

const HELP = `isoperf schema: print the JSON Schema (draft 2020-12) of what IsoPerf reads and writes.

Usage: isoperf schema [${NAMES.join(' | ')}]

${NAMES.map((name) => `  ${name.padEnd(17)}${own(SCHEMAS, name)!.what}`).join('\n')}

Without a name it prints the schema of the config. It describes the form of a file; 'isoperf validate' says more: rules
between fields, what cannot run, and inference-perf's own leniency (numbers in quotes and the like).

The schemas are also in the package, under schemas/.

Exit codes: 0 printed, 2 no schema of that name.

Example:
  isoperf schema config > inference-perf-config.schema.json
  # first line of a config, for editors with the YAML language server:
  # yaml-language-server: $schema=./inference-perf-config.schema.json
`;

export const schemaCommand: Command = {
  name: 'schema',
  summary: 'print the JSON Schema of a config, a run manifest or a comparison',
  help: HELP,
  run: (args, io) => {
    const { positionals } = parseOptions({ args: [...args], options: {}, allowPositionals: true });
    const [name = 'config', ...more] = positionals;
    if (more.length > 0) throw new UsageError('one name at most');
    const schema = Object.hasOwn(SCHEMAS, name) ? own(SCHEMAS, name) : undefined;
    if (!schema) throw new UsageError(`there is no schema '${name}'; there are ${NAMES.join(', ')}`);
    io.out(`${JSON.stringify(schema.make(), undefined, 2)}\n`);
    return Promise.resolve(EXIT.ok);
  },
};
