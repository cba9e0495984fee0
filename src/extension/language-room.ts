// The language room as the extension sees it: loaded when the first config is met, not when VS Code starts.
import { loadConfig, readConfig } from '../config/load';
import { configFindings } from '../pitfalls/check';
import type { Problem } from '../problem';

/** Everything that is wrong with a text or hinders comparison, worst first. */
export function findingsOf(text: string): readonly Problem[] {
  return configFindings(text);
}

/** Base URL a config names; undefined when it names none or cannot be read. */
export function baseUrlOf(text: string): string | undefined {
  return readConfig(text).loaded?.config.server?.base_url;
}

/** Errors that would keep a run from starting. */
export function errorsOf(text: string): readonly Problem[] {
  const loaded = loadConfig(text);
  return loaded.ok ? [] : loaded.problems.filter((problem) => problem.severity === 'error');
}
