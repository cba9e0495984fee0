// The config that really ran, as inference-perf would save it, without its secrets: config.yaml and the manifest's copy.
import type { EffectiveConfig } from '../config/will/runtime';
import { redactConfig } from '../config/secrets';
import type { ConfigPath } from '../problem';

export { withoutCredentials } from '../config/secrets';
import { toYaml } from './write-yaml';
import { isObject } from '../own';

export interface SavedDirective {
  readonly name: string;
  readonly value?: string | undefined;
  /** The value it belongs to; empty for the whole document. */
  readonly path: ConfigPath;
}

/**
 * The effective config with inference-perf's own changes (reference 1.4): concurrent stages get rate and duration and
 * worker_max_concurrency 0; shared_prefix counts get their long names; `total_count` is raised to what was drawn. A distribution with
 * `variance` is written by its std_dev alone, because both together are refused when the file is read again.
 */
export function savedConfig(config: EffectiveConfig, largestStage: number): Record<string, unknown> {
  const copy = structuredClone(redactConfig(config)) as unknown as Tree;
  const load = copy['load'] as Tree;
  if (load['type'] === 'concurrent') {
    load['worker_max_concurrency'] = 0;
    load['stages'] = (load['stages'] as Tree[]).map((stage) => ({
      ...stage,
      rate: stage['num_requests'],
      duration: 1,
    }));
  }
  const data = copy['data'] as Tree;
  for (const key of ['input_distribution', 'output_distribution']) {
    const distribution = data[key];
    if (!isObject(distribution) || (data['type'] !== 'random' && data['type'] !== 'synthetic')) continue;
    const given = typeof distribution['total_count'] === 'number' ? distribution['total_count'] : 0;
    data[key] = { ...distribution, total_count: Math.max(given, largestStage + 1) };
  }
  if (isObject(data['shared_prefix'])) data['shared_prefix'] = longNames(data['shared_prefix']);
  return withoutVariance(copy) as Tree;
}

/** config.yaml: the saved config, directives as comments where they stood. */
export function configYaml(
  saved: Readonly<Record<string, unknown>>,
  directives: readonly SavedDirective[],
  note: string,
): string {
  const words = (list: readonly SavedDirective[]): string =>
    `isoperf: ${list.map(({ name, value }) => (value === undefined ? name : `${name}=${value}`)).join(', ')}`;
  const at = (path: ConfigPath): readonly SavedDirective[] =>
    directives.filter((each) => each.path.length === path.length && each.path.every((step, i) => step === path[i]));
  const head = at([]).map((directive) => `# ${words([directive])}\n`);
  const body = toYaml(saved, (path) => {
    const here = at(path);
    return here.length === 0 ? undefined : words(here);
  });
  return `# ${note}\n${head.join('')}${body}`;
}

type Tree = Record<string, unknown>;

function longNames(prefix: Tree): Tree {
  return Object.fromEntries(
    Object.entries(prefix).map(([key, value]) => {
      if (key === 'num_groups') return ['num_unique_system_prompts', value];
      if (key === 'num_prompts_per_group') return ['num_users_per_system_prompt', value];
      return [key, value];
    }),
  );
}

function withoutVariance(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVariance);
  if (!isObject(value)) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutVariance(inner)]));
  if ('variance' in copy && 'std_dev' in copy) copy['variance'] = null;
  return copy;
}
