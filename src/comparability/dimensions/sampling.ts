// Were answers sampled alike? inference-perf sends no sampling parameters, so the server's defaults decide on both sides.
import { jsonText } from '../../figures';
import { ALL, confounds, dimension, moved, same, unknown, type SideEvidence } from '../dimension';
import { inFact } from '../evidence';
import { factsOn, settingOf, type Side } from '../side';

interface Sampling extends SideEvidence {
  readonly parameters: Readonly<Record<string, unknown>> | undefined;
}

/** Judged by stop-behaviour, output-length, endpoint-mode and cache-state. */
const ELSEWHERE = new Set([
  'cache_salt',
  'ignore_eos',
  'stream',
  'stream_options',
  'max_tokens',
  'model',
  'prompt',
  'messages',
]);

function samplingOf(side: Side): Sampling {
  const { run } = side;
  const sent = factsOn(side).sampling;
  const known = sent.value;
  const format = settingOf(run, ['api', 'response_format']);
  const parameters = known && Object.fromEntries(Object.entries(known).filter(([name]) => !ELSEWHERE.has(name)));
  const names = Object.keys(parameters ?? {});
  const withFormat =
    parameters && run.tool.name === 'inference-perf' && format.value !== undefined
      ? { ...parameters, response_format: format.value }
      : parameters;
  return {
    parameters: withFormat,
    summary:
      parameters === undefined
        ? 'not recorded'
        : names.length === 0
          ? 'no sampling parameters sent'
          : names.map((name) => `${name} ${jsonText(parameters[name])}`).join(', '),
    evidence: [
      inFact(sent, known && (words(known) || 'none')),
      inFact(format, format.value ?? (run.config ? 'not set' : undefined)),
    ],
  };
}

function words(parameters: Readonly<Record<string, unknown>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name} ${jsonText(value)}`)
    .join(', ');
}

export const sampling = dimension<Sampling>({
  id: 'sampling',
  title: 'Sampling',
  question: 'Were the same sampling parameters sent?',
  tolerance:
    'The same parameters with the same values in every body (temperature, top_p, seed, response_format, ...); sent on neither side, the server’s defaults decide.',
  pitfall: 'CMP051',
  affects: ALL.filter(({ metric }) => metric !== 'error_rate' && metric !== 'schedule_delay' && metric !== 'ttft'),
  remedy: 'Send the same body parameters on both sides, and fix the server’s generation defaults.',
  evidence: samplingOf,
  judge: ({ parameters: a }, { parameters: b }) => {
    if (!a || !b) return unknown('Which sampling parameters were sent', a !== undefined, b !== undefined);
    const changes = [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((name) => {
      const [left, right] = [shown(a, name), shown(b, name)];
      return left === right ? [] : [`${name} ${left} on A, ${right} on B`];
    });
    if (changes.length > 0) {
      return confounds(
        `Answers were sampled differently: ${changes.join('; ')}. Their length, their text and how fast tokens are drafted change with it.`,
        { changes, moves: MOVES },
      );
    }
    return same(
      Object.keys(a).length === 0
        ? 'Neither side sends sampling parameters: the server’s defaults decide.'
        : `The same sampling parameters: ${words(a)}.`,
    );
  },
});

function shown(parameters: Readonly<Record<string, unknown>>, name: string): string {
  return name in parameters ? jsonText(parameters[name]) : 'not sent';
}

const MOVES = moved([
  'tpot',
  'itl',
  'ntpot',
  'request_latency',
  'output_tokens_per_sec',
  'total_tokens_per_sec',
  'request_goodput',
]);
