// Good by the same limits? Two goodputs under different limits are two different questions.
import { confounds, dimension, moved, same, unknown, type SideEvidence } from '../dimension';
import type { Evidence } from '../comparison';
import { inFact } from '../evidence';
import { headerLimits, knownLimits } from '../goodput';
import { factsOn, type Side } from '../side';

interface Limits extends SideEvidence {
  readonly limits: Readonly<Record<string, number>> | undefined;
}

export const goodputDefinition = dimension<Limits>({
  id: 'goodput-definition',
  title: 'Goodput definition',
  question: 'Good requests by the same limits, over the same requests?',
  tolerance:
    'The same limits in seconds, exactly, from report.goodput.constraints and the SLO headers that were sent. Failures are left out on both sides, as inference-perf does.',
  pitfall: 'CMP066',
  affects: moved(['request_goodput']),
  remedy: 'Give both configs the same report.goodput.constraints, and the same SLO headers (api.headers).',
  evidence: (side: Side) => {
    const limits = knownLimits(side);
    const asked = factsOn(side).goodputLimits;
    return {
      limits,
      summary: limits === undefined ? 'not recorded' : limitWords(limits),
      evidence: [inFact(asked, asked.value ?? (limits && 'none')), ...headerEvidence(side)],
    };
  },
  judge: ({ limits: a }, { limits: b }) => {
    if (!a || !b) return unknown('Which limits a good request meets', a !== undefined, b !== undefined);
    const changes = [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((name) =>
      a[name] === b[name] ? [] : [`${name} ${limit(a[name])} on A, ${limit(b[name])} on B`],
    );
    if (changes.length > 0) return confounds(`A good request is another thing: ${changes.join('; ')}.`, { changes });
    if (Object.keys(a).length === 0) return same('Neither side has goodput limits, so no goodput is shown.');
    return same(`The same limits on both sides: ${limitWords(a)}.`);
  },
});

/** Limits that every request carries to the server; without any there is nothing to show. */
function headerEvidence(side: Side): Evidence[] {
  const found = headerLimits(side);
  if (!found) return [];
  const { ttftSeconds: ttft, tpotSeconds: tpot } = found;
  const words = limitWords({ ...(ttft === undefined ? {} : { ttft }), ...(tpot === undefined ? {} : { tpot }) });
  return [inFact(factsOn(side).sloLimits, words)];
}

function limit(seconds: number | undefined): string {
  return seconds === undefined ? 'no limit' : `${seconds} s`;
}

function limitWords(limits: Readonly<Record<string, number>>): string {
  const entries = Object.entries(limits);
  return entries.length === 0 ? 'no limits' : entries.map(([name, seconds]) => `${name} <= ${seconds} s`).join(', ');
}
