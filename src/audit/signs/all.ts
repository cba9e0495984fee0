// Every sign of a pitfall that one report shows by itself: evidence first, never a guess. Each carries its code.
import type { CanonicalReport } from '../../readers/canonical';
import type { Caution } from '../identity';
import { DATA_REPORT_SIGNS, DATA_SIGNS } from './data';
import { LOAD_REPORT_SIGNS, LOAD_SIGNS } from './load';
import { MEASURED_REPORT_SIGNS, MEASURED_SIGNS } from './measured';

const SIGNS = [...LOAD_SIGNS, ...DATA_SIGNS, ...MEASURED_SIGNS];
const REPORT_SIGNS = [...LOAD_REPORT_SIGNS, ...DATA_REPORT_SIGNS, ...MEASURED_REPORT_SIGNS];

/** Part by part, then of the report as a whole. */
export function signsOf(report: CanonicalReport): Caution[] {
  const parts = report.scopes.flatMap((scope) => SIGNS.map((sign) => sign(scope, report)));
  return [...parts, ...REPORT_SIGNS.map((sign) => sign(report))].filter((caution) => caution !== undefined);
}
