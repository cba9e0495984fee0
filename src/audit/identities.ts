// Every check on one report, before any comparison: which identities hold, which do not and why, and what else to know.
import { answeredOtherwise } from './answered';
import type { CanonicalReport, ReportScope } from '../readers/canonical';
import type { Identity, Judgement } from './identity';
import { counts, inFlight, stageSum, tokenTotals } from './identity-counts';
import { rateLengths, rateParts, rateWhole, requestRate, tokenRates } from './identity-rates';
import { latencySum, order, pooledGaps, readTogether, sameAsGap, tinyGaps } from './identity-latency';
import { serverCount, serverLatencies } from './identity-server';
import { signsOf } from './signs';

/** Identities of every scope, those that hold too (so that a reader sees what was asked); cautions apart. */
export function judgeReport(report: CanonicalReport): Judgement {
  return {
    identities: [...report.scopes.flatMap((scope) => identitiesOf(scope, report)), ...stageSum(report)],
    cautions: [
      ...report.scopes.flatMap((scope) => readTogether(scope, report)),
      ...answeredOtherwise(report),
      ...signsOf(report),
    ],
  };
}

export function violated(judgement: Judgement): readonly Identity[] {
  return judgement.identities.filter(({ holds }) => !holds);
}

function identitiesOf(scope: ReportScope, report: CanonicalReport): Identity[] {
  return [
    ...latencySum(scope, report),
    ...pooledGaps(scope, report),
    ...sameAsGap(scope, report),
    ...tinyGaps(scope, report),
    ...inFlight(scope, report),
    ...requestRate(scope),
    ...tokenRates(scope),
    ...rateParts(scope),
    ...rateLengths(scope),
    ...rateWhole(scope),
    ...tokenTotals(scope),
    ...counts(scope),
    ...serverCount(scope),
    ...serverLatencies(scope),
    ...order(scope),
  ];
}
