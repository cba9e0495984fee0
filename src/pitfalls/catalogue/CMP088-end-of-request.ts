// CMP088: The end of a request is not the same moment everywhere.
import { type Between, definitionOf } from '../pair';
import { DECODE, type Pitfall } from '../pitfall';

const endOfRequest: Between = (pair) => {
  if (pair.a.run.tool.name === pair.b.run.tool.name) return undefined;
  const [x, y] = [definitionOf(pair.a, 'e2e')?.end, definitionOf(pair.b, 'e2e')?.end];
  if (x === undefined || y === undefined || x === y) return undefined;
  const words = (end: string): string => end.replace('-', ' ');
  return `a request ends at the ${words(x)} on A and at the ${words(y)} on B`;
};

export const CMP088: Pitfall = {
  code: 'CMP088',
  title: 'The end of a request is not the same moment everywhere',
  consequence:
    'Some tools end at the last token, others at the usage chunk or at [DONE]: latency differs by up to a round trip.',
  remedy: 'End at the last token; keep the stream’s end apart.',
  moves: ['request_latency', ...DECODE],
  configPaths: [],
  source: 'vLLM PR 55508',
  between: { words: 'Two tools whose latencies end at different moments.', look: endOfRequest },
};
