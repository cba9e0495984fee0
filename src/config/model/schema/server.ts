// The server under test and how to talk to it (the `api`, `server`, `tokenizer` and `metrics` sections).
import * as z from 'zod';
import { field, nullable, nullableWith, required } from '../field';
import { clash, pyAny, pyBool, pyDict, pyEnum, pyFloat, pyHttpUrl, pyInt, pyString } from '../lax';

export const apiSchema = z.strictObject({
  type: field(
    pyEnum({
      completion: { doc: 'POST /v1/completions with the prompt as text.' },
      chat: { doc: 'POST /v1/chat/completions; the server adds its chat template to the prompt.' },
      anthropic_messages: { doc: 'POST /v1/messages, Anthropic’s format.', since: 'v0.6.1' },
    }),
    'completion',
    'Which route and format requests use.',
  ),
  streaming: field(pyBool(), false, 'Stream the answer. Without it there is no TTFT, TPOT or ITL.'),
  headers: nullable(pyDict(pyString()), 'HTTP headers of every request; they override the defaults.', { secret: true }),
  slo_unit: nullable(pyString(), 'Unit of the SLO headers: s, ms or us. Left out: ms; any other word counts as s.', {
    since: 'v0.5.0',
  }),
  slo_tpot_header: nullable(pyString(), 'Request header with the TPOT limit. Left out: x-slo-tpot-<unit>.', {
    since: 'v0.5.0',
  }),
  slo_ttft_header: nullable(pyString(), 'Request header with the TTFT limit. Left out: x-slo-ttft-<unit>.', {
    since: 'v0.5.0',
  }),
  response_format: nullable(
    z.strictObject({
      type: field(
        pyEnum({
          json_schema: { doc: 'The answer must fit json_schema.' },
          json_object: { doc: 'The answer must be a JSON object.' },
        }),
        'json_schema',
        'Kind of structured answer.',
      ),
      name: field(pyString(), 'structured_output', 'Name of the schema in the request.'),
      json_schema: nullable(pyDict(pyAny()), 'The schema. Left out, null is sent.'),
    }),
    'Structured answers: the response_format of the request. Not sent for anthropic_messages.',
    { since: 'v0.5.0' },
  ),
  session_id_header_key: nullable(pyString(), 'Request header that carries the session id.', { since: 'v0.6.0' }),
  session_token_header_key: nullable(
    pyString(),
    'Response header whose value is sent back with later requests of the session.',
    { since: 'main' },
  ),
});

export const serverSchema = z.strictObject({
  type: field(
    pyEnum({
      vllm: { doc: 'vLLM, and any OpenAI-compatible server.' },
      sglang: { doc: 'SGLang, by its OpenAI routes; it has no anthropic_messages.' },
      tgi: { doc: 'Text Generation Inference; does not know ignore_eos.' },
      mock: { doc: 'No server: inference-perf waits a second and answers nothing.', since: 'v0.3.0' },
    }),
    'vllm',
    'Kind of server.',
  ),
  model_name: nullable(
    pyString(),
    'Model in the requests. Left out: the first one the server lists at /v1/models (and then server-side metrics are empty).',
  ),
  base_url: required(pyString(), 'Address of the server, without the route and without a slash at the end.'),
  ignore_eos: field(pyBool(), true, 'Ask the server to go on past the end-of-sequence token, up to max_tokens.'),
  api_key: nullable(pyString(), 'Bearer token of the requests.', { secret: true }),
  cert_path: nullable(pyString(), 'TLS client certificate; used by inference-perf for vllm only.', { since: 'v0.4.0' }),
  key_path: nullable(pyString(), 'Key of the client certificate; used only together with cert_path.', {
    since: 'v0.4.0',
  }),
});

export const tokenizerSchema = z.strictObject({
  pretrained_model_name_or_path: nullable(
    pyString(),
    'Tokenizer: Hugging Face name or local path. Left out: server.model_name.',
  ),
  trust_remote_code: nullable(pyBool(), 'Allow the tokenizer’s repository to run code.'),
  token: nullable(pyString(), 'Hugging Face token.', { secret: true }),
  load_timeout: nullableWith(pyFloat({ gt: 0 }), 300, 'Time limit for loading the tokenizer; null: none.', {
    unit: 's',
    since: 'v0.7.0',
  }),
});

const prometheusSchema = z
  .strictObject({
    scrape_interval: field(pyInt(), 15, 'Scrape interval of the Prometheus server; 0 counts as 30.', { unit: 's' }),
    url: nullable(pyHttpUrl(), 'Address of Prometheus.'),
    filters: field(z.array(pyString()), [], 'Label matchers added to every query.'),
    google_managed: field(pyBool(), false, 'Use Google Cloud’s managed Prometheus instead of url.'),
  })
  .superRefine((value, context) => {
    if ((value.url !== null) === value.google_managed)
      clash(
        context,
        ['url', 'google_managed'],
        value.google_managed ? 'has both url and google_managed.' : 'has neither url nor google_managed: true.',
        'Give exactly one of the two.',
      );
  });

export const metricsSchema = z.strictObject({
  type: required(
    pyEnum({
      prometheus: { doc: 'Query Prometheus for the server’s own metrics.' },
      default: { doc: 'No server metrics.' },
    }),
    'Where server-side metrics come from.',
  ),
  prometheus: nullable(prometheusSchema, 'The Prometheus server. Without it, type prometheus collects nothing.'),
});
