// The whole of inference-perf v0.7.0's config as one model: every section and field, with unit, default and documentation.
// Facts: reference inference-perf.md section 1.2 (upstream commit 7de5ef2) and upstream-0.7.0.md; behaviour measured against upstream's loader.
import * as z from 'zod';
import { nullable, nullableWith, section } from './field';
import { clash } from './lax';
import { dataSchema, SESSION_DATA } from './schema/data';
import { loadSchema, loadShape, type LoadShape } from './schema/load';
import { circuitBreakerSchema, reportSchema, storageSchema } from './schema/report';
import { apiSchema, metricsSchema, serverSchema, tokenizerSchema } from './schema/server';

/** The model with one form of the load section, or with all of them. */
function modelWith<Load extends typeof loadSchema>(load: Load) {
  return z
    .strictObject({
      api: section(apiSchema, 'Which route and format requests use.'),
      data: section(dataSchema, 'Where prompts come from.'),
      load: section(load, 'When requests are sent.'),
      metrics: nullable(metricsSchema, 'Where server-side metrics come from. Left out: none.'),
      report: section(reportSchema, 'What is reported.'),
      storage: nullableWith(
        storageSchema,
        {
          local_storage: { report_file_prefix: null },
          google_cloud_storage: null,
          simple_storage_service: null,
        },
        'Where reports are kept; null keeps none.',
      ),
      server: nullable(serverSchema, 'The server under test. A run needs it, the loader does not.'),
      tokenizer: nullable(
        tokenizerSchema,
        'Tokenizer of the client. Left out, the one named like the model is loaded, and ITL counts chunks instead of tokens.',
      ),
      circuit_breakers: nullable(z.array(circuitBreakerSchema), 'Conditions that stop a run.', { since: 'v0.3.0' }),
    })
    .superRefine((value, context) => {
      if (SESSION_DATA.has(value.data.type) && value.load.type !== 'trace_session_replay')
        clash(
          context,
          ['data.type', 'load.type'],
          `data.type ${value.data.type} replays sessions, and load.type ${value.load.type} cannot send them.`,
          'Set load.type: trace_session_replay.',
        );
    });
}

export const configSchema = modelWith(loadSchema);

const narrowed = new Map<LoadShape, typeof configSchema>();

/** The model for a text whose load type is known: it accepts the same of it, and tries no other form. */
export function configSchemaFor(shape: LoadShape): typeof configSchema {
  const known = narrowed.get(shape);
  if (known) return known;
  // One form gives one of the outputs of all.
  const made = modelWith(loadShape(shape) as unknown as typeof loadSchema);
  narrowed.set(shape, made);
  return made;
}

/** The effective config: every default filled, save those that depend on the machine or the clock (see withRuntimeDefaults). */
export type Config = z.output<typeof configSchema>;
export type DataConfig = Config['data'];
