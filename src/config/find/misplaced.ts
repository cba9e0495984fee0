// A section of the config that stands beside it instead of in it: it lost its indentation, and whoever reads the config never sees it.
import { formatPath, type ConfigPath, type Problem } from '../../problem';
import { fieldsUnder } from '../model/fields';
import { configSchema } from '../model/schema';
import { valueAt } from '../model/issues';
import type { Region } from './regions';

/** Nothing for a config that is a file of its own. */
export function misplacedSections({ document, prefix, around }: Region): readonly Problem[] {
  if (!around) return [];
  const config = valueAt(document.value, prefix);
  const found: Problem[] = [];
  for (let depth = around.path.length - 1; depth >= 0; depth -= 1) {
    const parent = around.path.slice(0, depth);
    for (const name of Object.keys(configSchema.shape)) {
      const path = [...parent, name];
      if (name === around.path[depth] || valueAt(config, [name]) !== undefined) continue;
      if (isSection(name, valueAt(around.document.value, path))) found.push(misplaced(name, path, around));
    }
  }
  return found;
}

/** A mapping all of whose keys the section has, so that it can mean nothing else. */
function isSection(name: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const known = new Set(fieldsUnder([name]).flatMap((field) => [field.name, ...(field.aliases ?? [])]));
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => known.has(key));
}

function misplaced(
  name: string,
  path: ConfigPath,
  { document, path: config, toFile }: NonNullable<Region['around']>,
): Problem {
  const range = document.range(path, 'key');
  return {
    code: 'CFG025',
    severity: 'warning',
    path: [name],
    message: `'${formatPath(path)}' stands beside the config, not in it: inference-perf never sees it, and the defaults of ${name} apply.`,
    remedy: `Indent it into ${formatPath(config)}.`,
    ...(range ? { range: toFile(range) } : {}),
  };
}
