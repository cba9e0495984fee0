// All findings about a config text: what is wrong with it (config room) and what its numbers could not be compared for (the catalogue).
import { readConfig, type LoadOptions, type Reading } from '../config/load';
import type { Problem } from '../problem';

/** Problems of one reading, errors of the config first, then pitfalls. */
export function findingsOfReading(reading: Reading): readonly Problem[] {
  return reading.problems;
}

/** Reads a text and gives all findings. Never throws. */
export function configFindings(text: string, options: LoadOptions = {}): readonly Problem[] {
  return findingsOfReading(readConfig(text, options));
}
