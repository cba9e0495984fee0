// What the answers of a run say of it: another model than was asked for, ends for which no reason was given.
import type { CanonicalReport } from '../readers/canonical';
import type { FactTypes } from '../readers/facts';
import { modelContradiction } from '../readers/named-models';
import type { Caution } from '../pitfalls/in-report';

/** One report against itself. */
export function answeredOtherwise({ said, model, config, scopes }: CanonicalReport): Caution[] {
  const scope = scopes.find(({ kind }) => kind === 'summary') ?? scopes[0];
  if (!scope) return [];
  const found = modelContradiction({
    asked: model,
    config,
    answers: said?.modelsAnswered?.value,
    listed: said?.modelsListed?.value,
  });
  const ends = unsaidWords(said?.unsaidEnds?.value);
  return [
    ...(found === undefined ? [] : [{ id: 'CMP098', scope: scope.id, message: found, pitfall: 'CMP098' } as const]),
    ...(ends === undefined ? [] : [{ id: 'CMP069', scope: scope.id, message: ends, pitfall: 'CMP069' } as const]),
  ];
}

function unsaidWords(ends: FactTypes['unsaidEnds'] | undefined): string | undefined {
  if (!ends || ends.without === 0) return undefined;
  const short =
    ends.cutShort > 0 ? `; ${ends.cutShort} of them brought fewer tokens than were asked for under ignore_eos` : '';
  return `${ends.without} of ${ends.answered} answers ended with no finish reason, and count as successes: nothing says that they are whole${short}`;
}
