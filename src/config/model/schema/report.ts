// What is reported, where it is kept, and what may stop a run (the `report`, `storage` and `circuit_breakers` sections).
import * as z from 'zod';
import { field, nullable, nullableWith, required, runtimeDefault, section } from '../field';
import { pyBool, pyDict, pyEnum, pyFloat, pyInt, pyString } from '../lax';

const requestLifecycle = z.strictObject({
  summary: nullableWith(pyBool(), true, 'Report over the whole run, stages mixed.'),
  per_stage: nullableWith(pyBool(), true, 'Report of each stage.'),
  per_request: nullableWith(pyBool(), false, 'Record of each request; needed to recompute anything later.'),
  per_request_fields: section(
    z.strictObject({
      request: field(pyBool(), true, 'The request as it was sent.'),
      response: field(pyBool(), true, 'The text of the answer.'),
      info: field(pyBool(), true, 'Times and token counts.'),
      response_chunks: field(pyBool(), true, 'The pieces of a streamed answer.'),
      computed_metrics: field(pyBool(), false, 'Latencies as inference-perf computes them, in seconds.'),
    }),
    'What the record of a request holds.',
    { since: 'v0.7.0' },
  ),
  per_adapter: nullableWith(pyBool(), true, 'Report of each LoRA adapter.', { since: 'v0.4.0' }),
  per_adapter_stage: nullableWith(pyBool(), false, 'Report of each LoRA adapter in each stage.', { since: 'v0.4.0' }),
  percentiles: field(
    z.array(pyFloat()),
    [0.1, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9],
    'Percentiles of every metric; not checked to lie in 0..100 before the end of the run.',
    { unit: '%', since: 'v0.4.0' },
  ),
  use_server_output_tokens: field(
    pyBool(),
    false,
    'Take the server’s count of output tokens instead of tokenizing the text.',
    { since: 'v0.6.1' },
  ),
  max_error_messages: field(pyInt(), 100, 'Different error messages kept per kind of failure.', { since: 'v0.6.1' }),
});

const GOODPUT_DOC =
  'Limits a request must meet to count as good: ttft, tpot, itl, ntpot, request_latency. Any other key is ignored.';

export const reportSchema = z.strictObject({
  request_lifecycle: section(requestLifecycle, 'Reports of what the client saw.'),
  prometheus: nullableWith(
    z.strictObject({
      summary: nullableWith(pyBool(), true, 'Server metrics of the whole run.'),
      per_stage: nullableWith(
        pyBool(),
        false,
        'Server metrics of each stage; raises load.interval to the scrape interval.',
      ),
    }),
    { summary: true, per_stage: false },
    'Reports of server-side metrics.',
  ),
  session_lifecycle: section(
    z.strictObject({
      summary: nullableWith(pyBool(), true, 'Sessions of the whole run.'),
      per_stage: nullableWith(pyBool(), true, 'Sessions of each stage.'),
      per_session: nullableWith(pyBool(), false, 'Record of each session.'),
    }),
    'Reports of sessions (multi-turn and trace replay).',
    { since: 'v0.5.0' },
  ),
  goodput: nullable(
    z.strictObject({ constraints: field(pyDict(pyFloat()), {}, GOODPUT_DOC, { unit: 's' }) }),
    'Share of successful requests that met all limits. Failed requests are left out of it.',
    { since: 'v0.5.0' },
  ),
});

const place = {
  path: runtimeDefault(
    pyString(),
    'Directory, or prefix of the object names. {timestamp} becomes the local time of the start.',
    { whenAbsent: 'reports-<date>-<time>' },
  ),
  report_file_prefix: nullable(pyString(), 'Put in front of every file name.'),
};
const bucket_name = required(pyString(), 'Bucket the reports go to.');

export const storageSchema = z.strictObject({
  local_storage: section(z.strictObject(place), 'Reports on the local disk.'),
  google_cloud_storage: nullable(z.strictObject({ ...place, bucket_name }), 'Reports in Google Cloud Storage.'),
  simple_storage_service: nullable(
    z.strictObject({
      ...place,
      bucket_name,
      endpoint_url: nullable(pyString(), 'Address of an S3-compatible store.', { since: 'v0.5.0' }),
      region_name: nullable(pyString(), 'AWS region.', { since: 'v0.5.0' }),
      addressing_style: nullable(
        pyEnum({
          auto: { doc: 'The library decides.' },
          virtual: { doc: 'Bucket in the host name.' },
          path: { doc: 'Bucket in the path.' },
        }),
        'How the bucket is addressed.',
        { since: 'v0.5.0' },
      ),
    }),
    'Reports in S3 or a compatible store.',
  ),
});

// The breakers are the one place where upstream still ignores unknown keys: z.object, not z.strictObject.
const consecutive = z.object({
  type: required(
    pyEnum({ consecutive: { doc: 'A number of hits in a row.' } }, ['consecutive', 'rate_over_window']),
    'Kind of trigger.',
  ),
  threshold: required(pyInt({ ge: 1 }), 'Hits in a row that stop the run.'),
});

const rateOverWindow = z.object({
  type: required(
    pyEnum({ rate_over_window: { doc: 'A share of hits within a time window.' } }, ['consecutive', 'rate_over_window']),
    'Kind of trigger.',
  ),
  window_sec: required(pyFloat({ gt: 0 }), 'Length of the window.', { unit: 's' }),
  threshold: required(pyFloat({ ge: 0, le: 1 }), 'Share of hits that stops the run.'),
  min_samples: field(pyInt({ ge: 0 }), 0, 'Fewest samples in the window before the trigger counts.'),
});

export const circuitBreakerSchema = z.object({
  name: required(pyString(), 'Name that load.circuit_breakers refers to.'),
  metrics: required(
    z.object({
      matches: required(z.array(pyString()).min(1), 'JMESPath expressions: which records the breaker looks at.'),
      rules: field(z.array(pyString()), [], 'JMESPath expressions: which of them are hits.'),
    }),
    'What the breaker watches.',
  ),
  triggers: required(z.array(z.union([consecutive, rateOverWindow])), 'What stops the run.'),
});
