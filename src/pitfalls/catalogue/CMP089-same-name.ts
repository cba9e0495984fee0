// CMP089: The same name in another tool.
import type { QuantityId } from '../../readers/canonical';
import type { Between, Facts } from '../pair';
import { ALL_LATENCIES, type Pitfall } from '../pitfall';

/** What tools call it, whatever they mean: letters only, so that `mean_itl_ms` and `inter_token_latency` meet. */
function nameOf(key: string): string | undefined {
  const name = key.toLowerCase();
  if (/itl|inter_?token_?latency/.test(name)) return 'inter-token latency';
  if (/ntpot|normalized_time_per_output/.test(name)) return undefined;
  if (/tpot|time_?per_?output_?token/.test(name)) return 'time per output token';
  return undefined;
}

function spelled(quantity: QuantityId): string {
  return quantity.replace('_', ' ');
}

const sameName: Between = (pair) => {
  const meant = ({ report }: Facts): ReadonlyMap<string, QuantityId> =>
    new Map(
      report.scopes.flatMap(({ measures }) =>
        measures.flatMap(({ quantity, source }) => {
          const name = nameOf(source.key);
          return name === undefined ? [] : [[name, quantity] as const];
        }),
      ),
    );
  if (pair.a.run.tool.name === pair.b.run.tool.name) return undefined;
  const [x, y] = [meant(pair.a), meant(pair.b)];
  const words = [...x].flatMap(([name, quantity]) => {
    const other = y.get(name);
    return other === undefined || other === quantity
      ? []
      : [`${name} is ${spelled(quantity)} on A and ${spelled(other)} on B`];
  });
  return words.length === 0 ? undefined : words.join('; ');
};

export const CMP089: Pitfall = {
  code: 'CMP089',
  title: 'The same name in another tool',
  consequence:
    'GuideLLM’s time per output token contains TTFT from 0.4 on, AIPerf’s inter-token latency is TPOT, llmperf’s is NTPOT, vLLM’s ITL is between chunks.',
  remedy: 'Convert by definition, not by name.',
  moves: ALL_LATENCIES,
  configPaths: [],
  source: 'vLLM: vllm/benchmarks/serve.py; GuideLLM documentation: Metrics',
  between: { words: 'Two tools write one name (ITL, time per output token) for different quantities.', look: sameName },
};
