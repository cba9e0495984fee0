// The mend of lengths that are not what they seem: one length, or every figure that applies.
import type { LoadedConfig } from '../config/load';
import type { Distribution } from '../config/model/schema/distribution';
import { realisedLengths } from '../config/will/realised';
import { type ConfigPath, formatPath } from '../problem';
import type { ConfigText } from './fix';
import { type Fix, fix } from './fix';

/** Two ways to say which lengths are meant: one length, or every figure that applies. */
export function pinLength(path: ConfigPath, page: ConfigText, { config }: LoadedConfig): readonly Fix[] {
  const value = path.reduce<unknown>(
    (node, step) => (node as Record<string, unknown> | null | undefined)?.[step],
    config,
  );
  if (typeof value !== 'object' || value === null) return [];
  const distribution = value as Distribution;
  const { min, max, mean, std_dev } = distribution;
  const real = realisedLengths(distribution, path.length === 2 ? 'presampled' : 'sampled').mean;
  const fixed = Math.round(page.has([...path, 'mean']) ? mean : real);
  const found = [...fix(`Pin ${formatPath(path)} to ${fixed} tokens`, pinned(path, fixed, page), false)];
  const figures = Object.entries({ min, max, mean, std_dev }).filter(([key]) => !page.has([...path, key]));
  const isPlain = distribution.type === 'normal' || distribution.type === 'lognormal';
  if (isPlain && figures.length > 0 && figures.length < 4 && !page.has([...path, 'variance'])) {
    const words = figures.map(([key, figure]) => `${key}: ${figure}`);
    found.push(...fix(`Write what applies: ${words.join(', ')}`, page.addAll(path, words), false));
  }
  return found;
}

/** Other figures stay as they are: a fixed length does not use them. */
export function pinned(path: ConfigPath, tokens: number, page: ConfigText): ReturnType<ConfigText['set']> {
  const wanted = { type: 'fixed', mean: String(tokens) };
  const entries = Object.entries(wanted);
  const edits = entries.flatMap(([key, value]) =>
    page.has([...path, key]) ? (page.set([...path, key], value) ?? []) : [],
  );
  const fresh = entries.filter(([key]) => !page.has([...path, key])).map(([key, value]) => `${key}: ${value}`);
  return [...edits, ...(fresh.length === 0 ? [] : (page.addAll(path, fresh) ?? []))];
}
