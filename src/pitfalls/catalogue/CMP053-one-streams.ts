// CMP053: Streaming on one side only.
import { type Between, differs } from '../pair';
import { EVERYTHING, type Pitfall } from '../pitfall';

const oneStreams: Between = (pair) => differs(pair, ['api', 'streaming']);

export const CMP053: Pitfall = {
  code: 'CMP053',
  title: 'Streaming on one side only',
  consequence: 'Streams add usage chunks, proxy buffering and client work: even whole-request latency differs.',
  remedy: 'Same setting on both sides.',
  moves: EVERYTHING,
  configPaths: ['api.streaming'],
  source: 'inference-perf: inference_perf/client/modelserver/openai_client.py',
  between: { words: 'api.streaming differs.', look: oneStreams },
};
