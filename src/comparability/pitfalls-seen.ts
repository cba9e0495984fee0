// Pitfalls seen in a comparison: those that either report shows by itself in what is compared, and those that only the pair shows.
import { judgeReport, violated } from '../audit/identities';
import { pitfallByCode } from '../pitfalls/catalogue';
import { PITFALLS } from '../pitfalls/list';
import type { Facts, Pair } from '../pitfalls/pair';
import type { CanonicalReport } from '../readers/canonical';
import { reportOf } from '../readers/own';
import { addressOf } from './address';
import type { Finding, PitfallSeen } from './comparison';
import type { Context } from './dimension';
import { servedModel } from './dimensions/server';
import { configValue, type MeasuredStage, type Side, stackOf } from './side';
import { suppressionsOf } from './suppressions';

export interface Compared {
  readonly context: Context;
  readonly findings: readonly Finding[];
  readonly runs: Pair['runs'];
}

function factsOf(side: Side): Facts {
  const { run } = side;
  const stack = stackOf(side);
  return {
    run,
    report: reportOf(run),
    setting: (path) => configValue(run, path),
    stack,
    servedModel: servedModel(stack),
    place: addressOf(side)?.place,
  };
}

function sent({ facts, scope }: MeasuredStage): Pair['stages'][number]['a'] {
  return { scheduleHash: facts.scheduleHash.value, sendSeconds: scope?.extras?.sendSeconds };
}

/** In the order of the catalogue. A suppressed pitfall is listed like any other, with who accepted it and why. */
export function pitfallsSeen({ context, findings, runs }: Compared): readonly PitfallSeen[] {
  const { a, b, matching } = context;
  const stages = matching.pairs.map((pair) => ({ sameLoad: pair.sameLoad, a: sent(pair.a), b: sent(pair.b) }));
  const pair: Pair = { a: factsOf(a), b: factsOf(b), findings, stages, runs };
  const alone = { a: ofOneSide(pair.a.report, a, context), b: ofOneSide(pair.b.report, b, context) };
  const between = new Map<string, string>(
    PITFALLS.flatMap(({ code, between: seen }) => {
      const words = seen?.look(pair, code);
      return words === undefined ? [] : [[code, words] as const];
    }),
  );
  const codes = new Set([...alone.a.keys(), ...alone.b.keys(), ...between.keys()]);
  return [...codes].sort().flatMap((code): PitfallSeen[] => {
    const entry = pitfallByCode(code);
    if (!entry) throw new Error(`a comparison reports ${code}, which the catalogue does not have`);
    const accepted = acceptedWords(code, a, b);
    const rest = { title: entry.title, ...(accepted === undefined ? {} : { accepted }) };
    const pairWords = between.get(code);
    if (pairWords !== undefined) return [{ code, side: 'between', words: pairWords, ...rest }];
    const [x, y] = [alone.a.get(code), alone.b.get(code)];
    if (x !== undefined && y !== undefined)
      return [{ code, side: 'A and B', words: x === y ? x : `on A, ${x}; on B, ${y}`, ...rest }];
    return [{ code, side: x === undefined ? 'B' : 'A', words: x ?? y ?? '', ...rest }];
  });
}

/** What the report says of the stages that are compared, and of the run as a whole; once per code. */
function ofOneSide(report: CanonicalReport, side: Side, context: Context): Map<string, string> {
  const compared = new Set(context.matching.pairs.map((pair) => (side === context.a ? pair.a : pair.b).id));
  const stages = new Map(
    report.scopes.flatMap(({ id, kind, stage }) => (kind === 'stage' && stage !== undefined ? [[id, stage]] : [])),
  );
  const judgement = judgeReport(report);
  const found = [
    ...judgement.cautions,
    ...violated(judgement).map(({ scope, message, statement, pitfall }) => ({
      scope,
      message: message ?? statement,
      pitfall,
    })),
  ].filter(({ scope }) => compared.has(stages.get(scope) ?? NaN) || !stages.has(scope));
  const byCode = new Map<string, { scopes: string[]; words: string }>();
  for (const { scope, message, pitfall } of found) {
    if (pitfall === undefined) continue;
    const known = byCode.get(pitfall);
    if (known) known.scopes.push(scope);
    else byCode.set(pitfall, { scopes: [scope], words: message });
  }
  const several = report.scopes.length > 1;
  return new Map(
    [...byCode].map(([code, { scopes, words }]) => {
      const others = [...new Set(scopes.slice(1))].filter((scope) => scope !== scopes[0]);
      const also = others.length === 0 ? '' : ` (also in ${together(others, stages)})`;
      return [code, `${several ? `${scopes[0]!}: ` : ''}${words}${also}`];
    }),
  );
}

/** "stage 3", "stages 3, 4, 5", "stages 3, 4 and summary". */
function together(scopes: readonly string[], stageOf: ReadonlyMap<string, number>): string {
  const numbers = scopes.flatMap((scope) => stageOf.get(scope) ?? []);
  const others = scopes.filter((scope) => !stageOf.has(scope));
  const stages = numbers.length === 0 ? [] : [`stage${numbers.length > 1 ? 's' : ''} ${numbers.join(', ')}`];
  return [...stages, ...others].join(' and ');
}

/** "A accepts it: because ..." */
function acceptedWords(code: string, a: Side, b: Side): string | undefined {
  const words = [a, b].flatMap((side) =>
    suppressionsOf(side)
      .filter(({ codes }) => codes.includes(code))
      .map(({ reason }) => `${side.name}’s config accepts it because ${reason}`),
  );
  return words.length === 0 ? undefined : words.join('; ');
}
