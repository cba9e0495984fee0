// Secrets in other people's reports: masked once, as a report is opened, so that no view, export or log can show them.
import { redactText } from '../config/secrets';
import type { CanonicalReport } from './canonical';

/** `--api-key abc`, `--token=abc`: a command line kept in a report. */
const FLAG = /(--?[\w-]*(?:api[-_]?key|token|password|secret|credential)[\w-]*)(\s+|=)(?!-)("[^"]*"|'[^']*'|\S+)/gi;
/** Names that hold a count or a name of tokens, not a token. */
const HARMLESS = /max|num|count|output|input|prompt|tokenizer|special|mean|stddev|usage/i;

const SECRET_KEY = /^(?:.*[-_])?(?:api[-_]?key|token|password|passwd|secret|authorization|credentials?)$/i;

export function maskText(text: string): string {
  return redactText(text).replace(FLAG, (whole, flag: string, gap: string) =>
    HARMLESS.test(flag) ? whole : `${flag}${gap}<removed>`,
  );
}

/** Every text of a value masked; texts under a key that names a secret are replaced whole. Depth is bounded by the reader. */
export function maskValue(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    return value !== '' && SECRET_KEY.test(key) ? '<removed>' : maskText(value);
  }
  if (Array.isArray(value)) return value.map((entry) => maskValue(entry, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, maskValue(entry, name)]));
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
      value: SECRET_KEY.test(fact.label) ? '<removed>' : maskText(fact.value),
    })),
    ...(report.config ? { config: maskValue(report.config) as Record<string, unknown> } : {}),
    ...(report.ownVerdict ? { ownVerdict: report.ownVerdict.map(maskText) } : {}),
  };
}
