// ajv as second witness: the generated schemas compile, take what zod takes, and refuse what zod refuses, but for a listed set.
import { readFileSync, readdirSync, existsSync } from 'node:fs';
import path from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SCHEMAS } from '../../../src/cli/schema';
import { parseDocument } from '../../../src/config/yaml/document';
import { allFields, fieldAt } from '../../../src/config/model/fields';
import { findingsOf, type ModelIssue } from '../../../src/config/model/issues';
import { configJsonSchema } from '../../../src/config/model/json-schema';
import { configSchema } from '../../../src/config/model/schema';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const CORPUS = path.resolve(ROOT, '../shared/corpus/configs/upstream');

function compiled(schema: object) {
  // Strict, so that a misspelt keyword of ours is noticed; these are annotations.
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, validateFormats: false });
  for (const word of ['x-unit', 'x-since', 'x-when-absent', 'x-secret', 'markdownEnumDescriptions'])
    ajv.addKeyword(word);
  return ajv.compile(schema);
}

const validate = compiled(configJsonSchema());
const ajvAccepts = (values: unknown): boolean => validate(JSON.parse(JSON.stringify(values)));

function zodFindings(values: unknown): readonly ModelIssue[] {
  const result = configSchema.safeParse(values);
  return result.success ? [] : findingsOf(result.error.issues, values).findings;
}

describe('the checked-in schemas', () => {
  it.each(Object.entries(SCHEMAS))('%s is fresh (npm run schemas) and compiles', (_name, { file, make }) => {
    const text = readFileSync(path.join(ROOT, 'schemas', file), 'utf8');
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(make())));
    expect(() => compiled(JSON.parse(text) as object)).not.toThrow();
  });
  it('hold every field of the model, documented', () => {
    const text = JSON.stringify(configJsonSchema());
    for (const field of allFields()) {
      expect(field.description, field.path.join('.')).toMatch(/\S{2,}.*[.)]$/);
      expect(text).toContain(`"${field.name}":`);
    }
  });
});

const BASE = {
  load: { type: 'poisson', stages: [{ rate: 5, duration: 30 }] },
  server: { base_url: 'http://h:1', model_name: 'm' },
  api: { type: 'completion', streaming: true },
  data: { type: 'random', input_distribution: { type: 'fixed', mean: 64 }, output_distribution: { min: 1, max: 9 } },
};

describe('both accept', () => {
  it.each([
    ['nothing', {}],
    ['a usual config', BASE],
    ['a closed loop', { load: { type: 'concurrent', stages: [{ num_requests: 5, concurrency_level: 2 }] } }],
    ['sessions', { load: { type: 'trace_session_replay', stages: [{ concurrent_sessions: 0 }] } }],
    ['older and newer names', { data: { shared_prefix: { num_unique_system_prompts: 3, num_prompts_per_group: 2 } } }],
    [
      'a length as number and as distribution',
      { data: { shared_prefix: { question_len: 5, output_len: { mean: 9 } } } },
    ],
    ['nulls', { server: null, storage: null, tokenizer: null, load: { request_timeout: null } }],
    ['media', { data: { multimodal: { image: { count: { min: 1 }, resolutions: [{ resolution: '4k' }] } } } }],
    [
      'breakers with further keys',
      { circuit_breakers: [{ name: 'b', x: 1, metrics: { matches: ['e'] }, triggers: [] }] },
    ],
  ])('%s', (_name, values) => {
    expect(zodFindings(values)).toEqual([]);
    expect(ajvAccepts(values), JSON.stringify(validate.errors)).toBe(true);
  });
});

describe('both reject', () => {
  it.each([
    ['an unknown key', { ...BASE, load: { ...BASE.load, foo: 1 } }],
    ['an unknown section', { ...BASE, foo: 1 }],
    ['a wrong word', { ...BASE, api: { type: 'chatty' } }],
    ['a limit', { load: { stages: [{ rate: 0, duration: 1 }] } }],
    ['a missing key', { load: { stages: [{ rate: 1 }] } }],
    ['a stage of another type', { load: { type: 'concurrent', stages: [{ rate: 1, duration: 1 }] } }],
    ['null for a section', { report: null }],
    ['a list for a mapping', { api: [] }],
    ['text for a number', { load: { interval: 'long' } }],
    ['a number for text', { server: { base_url: 5 } }],
    ['a fraction', { load: { num_workers: 1.5 } }],
    ['an empty list', { circuit_breakers: [{ name: 'b', metrics: { matches: [] }, triggers: [] }] }],
  ])('%s', (_name, values) => {
    expect(zodFindings(values)).not.toEqual([]);
    expect(ajvAccepts(values)).toBe(false);
  });
});

/** The differences of docs/decisions/001: zod rejects and the schema cannot say it. */
const ONLY_ZOD: readonly ModelIssue['rule'][] = ['cross-field', 'url'];

/** zod accepts and the schema does not: a value that pydantic coerces. */
function isCoerced(values: unknown): boolean {
  const text = JSON.stringify(values);
  return /:(?:"[^"]*"|true|false|[01])[,}\]]/.test(text);
}

describe('mutated configs', () => {
  const fields = allFields().filter((field) => field.path.length > 1 && !field.path.includes('circuit_breakers'));
  const someValue = fc.oneof(
    fc.constantFrom<unknown>(null, true, -1, 0, 1, 1.5, 'x', '5', [], {}, [1], { a: 1 }, 'http://h'),
    fc.constantFrom<unknown>(
      { mean: 5 },
      { variance: 4 },
      [{ rate: 1, duration: 1 }],
      [{ num_requests: 1, concurrency_level: 1 }],
    ),
  );
  it('agree, but for coercion and what a schema cannot say', () => {
    let rejectedByBoth = 0;
    fc.assert(
      fc.property(fc.constantFrom(...fields), someValue, (field, value) => {
        const values = structuredClone(BASE) as Record<string, unknown>;
        put(values, field.path, value);
        const findings = zodFindings(values);
        const zod = findings.length === 0;
        const ajv = ajvAccepts(values);
        if (zod === ajv) rejectedByBoth += zod ? 0 : 1;
        else if (zod) expect(isCoerced(values), `${field.path.join('.')}: ${JSON.stringify(value)}`).toBe(true);
        else
          expect(
            findings.every((finding) => ONLY_ZOD.includes(finding.rule)),
            findings[0]!.problem.message,
          ).toBe(true);
      }),
      { numRuns: 3000 },
    );
    expect(rejectedByBoth).toBeGreaterThan(500);
  });
});

function put(target: Record<string, unknown>, at: readonly (string | number)[], value: unknown): void {
  let current: Record<string | number, unknown> = target;
  at.forEach((step, index) => {
    if (index === at.length - 1) current[step] = value;
    else {
      const next = current[step];
      const fresh = typeof at[index + 1] === 'number' ? [] : {};
      current[step] = typeof next === 'object' && next !== null ? next : fresh;
      current = current[step] as Record<string | number, unknown>;
    }
  });
}

describe.skipIf(!existsSync(CORPUS))('upstream’s own example configs', () => {
  const files = existsSync(CORPUS)
    ? readdirSync(CORPUS).filter((name) => /^(examples|workload-catalog|root).*\.ya?ml$/.test(name))
    : [];
  it.each(files)('%s', (name) => {
    const values = parseDocument(readFileSync(path.join(CORPUS, name), 'utf8')).value;
    const findings = zodFindings(values);
    expect(ajvAccepts(values), JSON.stringify(validate.errors?.slice(0, 3))).toBe(findings.length === 0);
  });
});

if (!existsSync(CORPUS)) console.log('skipped: ../shared/corpus is not here, upstream examples are not validated');

describe('fields as data', () => {
  it('know unit, default, version, words and aliases', () => {
    expect(fieldAt(['load', 'stages', 0, 'rate'])).toMatchObject({
      unit: 'requests/s',
      required: true,
      types: ['number'],
    });
    expect(fieldAt(['load', 'base_seed'])).toMatchObject({
      since: 'v0.5.0',
      required: false,
      whenAbsent: expect.any(String) as string,
    });
    expect(fieldAt(['data', 'shared_prefix', 'num_users_per_system_prompt'])?.default).toEqual({ value: 10 });
    expect(Object.keys(fieldAt(['load', 'type'])?.enumValues ?? {})).toHaveLength(5);
    expect(fieldAt(['load', 'stages', 0, 'num_requests'], 'concurrent')?.required).toBe(true);
    expect(fieldAt(['load', 'stages', 0, 'num_requests'], 'poisson')?.required).toBe(false);
    expect(fieldAt(['api', 'headers', 'x-anything'])?.types).toEqual(['text']);
    expect(fieldAt(['load', 'nothing'])).toBeUndefined();
  });
});
