// Secrets in other people's reports: masked once, as a report is opened, so that no view, export or log can show them.
import { withoutSecretFields, withoutSecretText, withoutSecretValue } from '../config/secret-names';
import type { CanonicalReport } from './canonical';

export function maskText(text: string): string {
  return withoutSecretText(text);
}

/** Every text of a value masked; texts under a key that names a secret are replaced whole. Depth is bounded by the reader. */
export function maskValue(value: unknown, key = ''): unknown {
  return withoutSecretFields(value, key);
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
    ...(report.config ? { config: maskValue(report.config) as Record<string, unknown> } : {}),
    ...(report.ownVerdict ? { ownVerdict: report.ownVerdict.map(maskText) } : {}),
  };
}
