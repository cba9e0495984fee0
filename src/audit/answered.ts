// What the answers of a run say of it: another model than was asked for, ends for which no reason was given.
import type { CanonicalReport } from '../readers/canonical';
import { modelContradiction } from '../readers/named-models';
import type { Caution } from '../pitfalls/in-report';

/** One report against itself. */
export function answeredOtherwise({ said, model, config, scopes }: CanonicalReport): Caution[] {
  const found = modelContradiction({
    asked: model,
    config,
    answers: said?.modelsAnswered?.value,
    listed: said?.modelsListed?.value,
  });
  const scope = scopes.find(({ kind }) => kind === 'summary') ?? scopes[0];
  if (found === undefined || !scope) return [];
  return [{ id: 'CMP098', scope: scope.id, message: found, pitfall: 'CMP098' }];
}
