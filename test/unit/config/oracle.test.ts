// The loader's verdict against what inference-perf main itself answered, case by case.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loaderVerdict } from '../../../src/config/loader';
import { allFields } from '../../../src/config/model/fields';
import { TARGETS } from '../../../src/config/model/target';

interface Case {
  readonly id: string;
  readonly yaml: string;
  readonly accepts: Readonly<Record<string, boolean>>;
  readonly effective?: Record<string, unknown>;
}

const ORACLE = new URL('../../../../shared/oracle/config-verdicts.json', import.meta.url);
const NEWEST_ORACLE = new URL('../../../../shared/oracle/verdicts-0.7.0.json', import.meta.url);

/** Machine- and clock-dependent values are left out; shared_prefix is compared by its short names. */
function comparable(value: unknown, key = ''): unknown {
  if (['base_seed', 'num_workers'].includes(key)) return undefined;
  if (key === 'path' && (value === undefined || (typeof value === 'string' && value.startsWith('reports-2'))))
    return undefined;
  if (key === 'path' && typeof value === 'string') return value.replace(/\d{8}-\d{6}/, '{timestamp}');
  // JSON has no infinities: the oracle holds them as Python writes them.
  if (typeof value === 'number') return String(value).replace('Infinity', 'inf').replace('NaN', 'nan');
  if (Array.isArray(value)) return value.map((item) => comparable(item));
  if (typeof value !== 'object' || value === null) return value;
  const short: Readonly<Record<string, string>> = {
    num_unique_system_prompts: 'num_groups',
    num_users_per_system_prompt: 'num_prompts_per_group',
  };
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, entry]) => [short[name] ?? name, comparable(entry, name)] as const)
      .filter(([, entry]) => entry !== undefined)
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );
}

/** The effective values of main, which the oracle holds, have none of the keys that v0.7.0 brought. */
const NEWER = new Set(
  allFields()
    .filter((field) => field.since === 'v0.7.0')
    .map((field) => field.path.join('.')),
);

function withoutNewer(value: unknown, path = ''): unknown {
  if (Array.isArray(value)) return value.map((entry) => withoutNewer(entry, `${path}.0`));
  if (typeof value !== 'object' || value === null) return value;
  const placed = Object.entries(value).map(([name, entry]) => [name, entry, path ? `${path}.${name}` : name] as const);
  const kept = placed.filter(([, , place]) => !NEWER.has(place));
  return Object.fromEntries(kept.map(([name, entry, place]) => [name, withoutNewer(entry, place)]));
}

describe.skipIf(!existsSync(ORACLE))('the loader of inference-perf', () => {
  const { cases } = existsSync(ORACLE)
    ? (JSON.parse(readFileSync(ORACLE, 'utf8')) as { cases: readonly Case[] })
    : { cases: [] };
  const newest = existsSync(NEWEST_ORACLE)
    ? (JSON.parse(readFileSync(NEWEST_ORACLE, 'utf8')) as { accepts: Readonly<Record<string, boolean>> }).accepts
    : {};
  const answerOf = ({ id, accepts }: Case, target: string): boolean | undefined =>
    target === 'v0.7.0' ? newest[id] : accepts[target];

  it.each(TARGETS)('is answered alike in all cases as %s would', (target) => {
    const different = cases.filter((each) => loaderVerdict(each.yaml, target).accepts !== answerOf(each, target));
    // The goal is 99 %; what differs has to be listed, with its reason, in docs/targets.md. Nothing does.
    expect(different.map((each) => each.id)).toEqual([]);
  });

  it('is answered alike in every effective value', () => {
    const accepted = cases.filter((each) => each.accepts['main'] === true && each.effective !== undefined);
    for (const each of accepted) {
      const { config } = loaderVerdict(each.yaml, 'main');
      expect(withoutNewer(comparable(config)), each.id).toEqual(comparable(each.effective));
    }
    expect(accepted.length).toBeGreaterThan(200);
    expect(cases.length).toBeGreaterThanOrEqual(552);
  });

  it('says why whenever it rejects', () => {
    for (const each of cases.filter((entry) => answerOf(entry, 'v0.7.0') === false)) {
      const errors = loaderVerdict(each.yaml).problems.filter((problem) => problem.severity === 'error');
      expect(errors.length, each.id).toBeGreaterThan(0);
      for (const error of errors) expect(error.message, each.id).not.toMatch(/undefined|\[object|invalid input/i);
    }
  });
});

if (!existsSync(ORACLE)) console.log('skipped: ../shared/oracle is not here, the loader is not compared with upstream');
