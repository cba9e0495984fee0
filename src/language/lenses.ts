// What can be done with a config, shown above it: run it, compare its last run with the one before.
import { readings, type Asked } from './place';

export interface Lens {
  readonly kind: 'run' | 'compare';
  readonly title: string;
  /** Zero-based line it stands above. */
  readonly line: number;
  /** Name of the config's region; empty when the config is the whole file. */
  readonly region: string;
  /** Errors that keep it from running. */
  readonly errors: number;
}

/** One pair of lenses for each config of the file. */
export function lenses(text: string, given: Asked = {}): readonly Lens[] {
  return readings(text, given).flatMap(({ region, problems }): Lens[] => {
    const node = region?.document.locate(region.prefix);
    if (!region || !node) return [];
    const { lines } = region.document;
    const line = region.toFile(lines.range((node.key ?? node.value).start, (node.key ?? node.value).start)).startLine;
    const errors = problems.filter((problem) => problem.severity === 'error').length;
    const base = { line, region: region.name, errors };
    return [
      { ...base, kind: 'run', title: 'Run' },
      { ...base, kind: 'compare', title: 'Compare with last run' },
    ];
  });
}
