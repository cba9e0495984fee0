// CMP073: Prometheus prompt lengths are rates.
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const misnamed: Sign = ({ id, server }) =>
  server && server.misnamed.length > 0
    ? said(id, `${server.file}: ${server.misnamed.join('; ')}`, 'misnamed')
    : undefined;

export const CMP073: Pitfall = {
  code: 'CMP073',
  title: 'Prometheus prompt lengths are rates',
  consequence: 'For vLLM and SGLang prompt_len.mean is tokens/s, for TGI a rate is requests/s: the names mislead.',
  remedy: 'Ignore or relabel them.',
  moves: ['server_metrics'],
  configPaths: ['metrics.prometheus'],
  source: 'inference-perf: inference_perf/client/modelserver/vllm_client.py',
  inReport: { words: 'prompt_len or output_len of a Prometheus report has a mean above 0.', parts: [misnamed] },
};
