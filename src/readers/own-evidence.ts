// What our own folder tells beside its reports: what answered, in words, and the times of its requests.
import { MANIFEST_FILE, type RunManifest } from '../folder/manifest';
import type { RequestRecord } from '../metrics/record';
import { mean } from '../metrics/statistics';
import { outputTokens, tailSeconds, tpotSeconds, type CountSource } from '../metrics/request-metrics';
import type { CanonicalReport, ReportScope, ScopeExtras } from './canonical';

/** What answered, in words. */
export function answerFacts({ answers }: RunManifest): CanonicalReport['facts'] {
  if (!answers) return [];
  const { answered, models, unnamed = 0, withoutFinishReason = 0, cutShort = 0, reasoning } = answers;
  const names = Object.entries(models).map(([name, count]) => `${name} (${count})`);
  if (unnamed > 0 && names.length > 0) names.push(`none (${unnamed})`);
  const say = (label: string, value: string): CanonicalReport['facts'] => [
    { label, value, source: `${MANIFEST_FILE}: answers` },
  ];
  return [
    ...(names.length > 0 ? say('model named in the answers', names.join(', ')) : []),
    ...(withoutFinishReason > 0
      ? say(
          'answers without a finish reason',
          `${withoutFinishReason} of ${answered}${cutShort > 0 ? `, ${cutShort} of them cut short` : ''}`,
        )
      : []),
    ...(reasoning
      ? say(
          'reasoning',
          `${reasoning.tokens} of ${reasoning.outputTokens} output tokens, in ${reasoning.answers} answers`,
        )
      : []),
  ];
}

/**
 * What the requests tell of the time in which tokens came. A usage chunk that comes late is in E2E and in no token's time; answers
 * without a second token are in E2E and TTFT and in no TPOT.
 */
export function withTimes(
  scope: ReportScope,
  records: readonly RequestRecord[] | undefined,
  source: CountSource | undefined,
): ReportScope {
  const tails: number[] = [];
  const [spans, lengths]: [number[], number[]] = [[], []];
  const [allSpans, allLengths]: [number[], number[]] = [[], []];
  for (const record of records ?? []) {
    const { lastTokenSeconds: last, firstTokenSeconds: first } = record;
    const tail = tailSeconds(record);
    if (tail === undefined || last === undefined || first === undefined) continue;
    tails.push(tail);
    const tokens = source && outputTokens(record, source);
    if (source === undefined || tokens === undefined || tokens < 1) continue;
    allSpans.push(last - first);
    allLengths.push(tokens);
    if (tpotSeconds(record, source) === undefined) continue;
    spans.push(last - first);
    lengths.push(tokens);
  }
  if (tails.length === 0) return scope;
  const times: Pick<ScopeExtras, 'decoded' | 'spanned'> = {
    ...(spans.length === 0 ? {} : { decoded: { seconds: mean(spans), tokens: mean(lengths) } }),
    ...(allSpans.length === 0 ? {} : { spanned: { seconds: mean(allSpans), tokens: mean(allLengths) } }),
  };
  return { ...scope, extras: { ...scope.extras, streamTailSeconds: mean(tails), ...times } };
}
