// Every sign of a pitfall that one report shows by itself: evidence first, never a guess. Each carries its code.
import type { Caution, Sighting } from '../pitfalls/in-report';
import { PITFALLS } from '../pitfalls/list';
import type { Pitfall } from '../pitfalls/pitfall';
import type { CanonicalReport } from '../readers/canonical';

/** Part by part, then of the report as a whole; in the order of the catalogue. */
export function signsOf(report: CanonicalReport): Caution[] {
  const parts = report.scopes.flatMap((scope) =>
    PITFALLS.flatMap((pitfall) =>
      (pitfall.inReport?.parts ?? []).flatMap((sign) => caution(pitfall, sign(scope, report))),
    ),
  );
  const whole = PITFALLS.flatMap((pitfall) => caution(pitfall, pitfall.inReport?.whole?.(report)));
  return [...parts, ...whole];
}

function caution({ code }: Pitfall, seen: Sighting | undefined): Caution[] {
  return seen === undefined ? [] : [{ id: seen.id ?? code, scope: seen.scope, message: seen.message, pitfall: code }];
}
