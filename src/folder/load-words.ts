// The load of a run in a few words, from its manifest's stages.
import { counted, span } from '../figures';
import type { StageManifest } from './manifest';

/** "Poisson, 3 stages, 5 → 20 rps, 180 s". */
export function loadWords(stages: readonly StageManifest[]): string {
  const measured = stages.filter((stage) => !stage.warmup);
  const warm = stages.length - measured.length;
  const kinds = [...new Set(stages.map((stage) => stage.loadType))].join(', ');
  const parts = [kinds === '' ? 'load not recorded' : kinds];
  if (measured.length > 1) parts.push(counted(measured.length, 'stage'));
  const concurrency = measured.map((stage) => stage.requestedConcurrency).filter((value) => value !== undefined);
  const rates = measured.map((stage) => stage.requestedRateRps).filter((value) => value !== undefined);
  if (concurrency.length > 0) parts.push(`${fromTo(concurrency)} concurrent`);
  else if (rates.length > 0) parts.push(`${fromTo(rates)} rps`);
  const seconds = measured.reduce((total, stage) => total + (stage.requestedDurationSeconds ?? 0), 0);
  if (seconds > 0) parts.push(span(seconds));
  if (warm > 0) parts.push(`after ${warm === 1 ? 'a warm-up stage' : `${warm} warm-up stages`}`);
  return parts.join(', ');
}

function fromTo(values: readonly number[]): string {
  const [first, last] = [values[0]!, values.at(-1)!];
  return first === last ? String(first) : `${first} → ${last}`;
}
