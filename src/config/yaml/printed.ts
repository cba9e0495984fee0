// Printed Python objects (`!!python/object:...`): one finding says what they are; what follows from them is no news.
import type { ConfigPath, Problem } from '../../problem';
import { resolveAlias, type Located } from './tree';

/** The first finding of a python tag stands for all; the others are its related places. */
export function oncePrinted(problems: readonly Problem[]): readonly Problem[] {
  const [first, ...more] = problems.filter(({ reason }) => reason === 'python-object');
  if (!first || more.length === 0) return problems;
  const related = more.flatMap(({ range, path }) =>
    range ? [{ path, range, message: 'a printed Python object, too' }] : [],
  );
  return problems.flatMap((problem) => {
    if (problem === first) return [{ ...first, related }];
    return more.includes(problem) ? [] : [problem];
  });
}

/** Is the value at a path, or one it stands in, a printed Python object? */
export function isPrinted(
  document: { readonly locate: (path: ConfigPath) => Located | undefined },
  path: ConfigPath,
): boolean {
  return path.some((_step, index) => {
    const value = document.locate(path.slice(0, index + 1))?.value;
    return value !== undefined && resolveAlias(value)?.tag?.startsWith('tag:yaml.org,2002:python/') === true;
  });
}
