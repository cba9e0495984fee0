// Secrets in other people's reports: masked once, as a report is opened, so that no view, export or log can show them.
import { withoutSecretFields, withoutSecretText, withoutSecretValue } from '../config/secret-names';
import type { CanonicalReport } from './canonical';
import type { RunFacts } from './facts';

export function maskText(text: string): string {
  return withoutSecretText(text);
}

/** Every text of a value masked; texts under a key that names a secret are replaced whole. Depth is bounded by the reader. */
export function maskValue(value: unknown, key = ''): unknown {
  return withoutSecretFields(value, key);
}

/** Values masked; places are names of keys. */
export function maskFacts<T extends Partial<RunFacts>>(facts: T): T {
  const entries = Object.entries(facts).map(([id, fact]) => [id, { ...fact, value: maskValue(fact.value, id) }]);
  return Object.fromEntries(entries) as T;
}

/** The report with every text of it masked; numbers are not touched. */
export function maskReport(report: CanonicalReport): CanonicalReport {
  const optional = (text: string | undefined): string | undefined => (text === undefined ? undefined : maskText(text));
  const endpoint = optional(report.endpoint);
  const model = optional(report.model);
  return {
    ...report,
    name: maskText(report.name),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(model === undefined ? {} : { model }),
    facts: report.facts.map((fact) => ({
      ...fact,
      value: withoutSecretValue(fact.label, fact.value),
    })),
    ...(report.told
      ? { told: report.told.map((told) => ({ ...told, value: maskValue(told.value, String(told.path.at(-1) ?? '')) })) }
      : {}),
    ...(report.said ? { said: maskFacts(report.said) } : {}),
    ...(report.config ? { config: maskValue(report.config) as Record<string, unknown> } : {}),
    ...(report.ownVerdict ? { ownVerdict: report.ownVerdict.map(maskText) } : {}),
  };
}
