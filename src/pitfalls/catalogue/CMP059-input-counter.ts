// CMP059: Input tokens changed their counter.
import { type Between, definitionOf, readable } from '../pair';
import type { Pitfall } from '../pitfall';

const inputCounter: Between = (pair) => {
  if (!readable(pair.a) || !readable(pair.b)) return undefined;
  const [x, y] = [
    definitionOf(pair.a, 'input_tokens_per_sec')?.tokens,
    definitionOf(pair.b, 'input_tokens_per_sec')?.tokens,
  ];
  if (x === undefined || y === undefined || x === y) return undefined;
  const who = (counter: string): string => (counter === 'client' ? 'the client’s' : 'the server’s where it sends one');
  return `input tokens are ${who(x)} count on A (${pair.a.report.versionClass.name}) and ${who(y)} on B (${pair.b.report.versionClass.name})`;
};

export const CMP059: Pitfall = {
  code: 'CMP059',
  title: 'Input tokens changed their counter',
  consequence:
    'Main takes prompt tokens from the server, releases from the client: templates, tools and media make input tokens/s jump.',
  remedy: 'Recompute both from prompt_tokens / time.',
  moves: ['input_tokens_per_sec', 'total_tokens_per_sec'],
  configPaths: ['api.type'],
  source: 'inference-perf PR 678',
  inReport: { words: 'input tokens/s x window fits neither count of the prompts within 2 %.' },
  between: {
    words: 'One report is by a version that takes prompt tokens from the server, the other by one that counts itself.',
    look: inputCounter,
  },
};
