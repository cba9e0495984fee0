// Every code has a fix, or a reason why it has none: a new code without a decision fails here.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../src/language/edits';
import { diagnostics } from '../../../src/language/diagnostics';
import { allActions } from '../../../src/language/fixes';
import { PITFALLS } from '../../../src/pitfalls/list';
import type { Problem } from '../../../src/problem';
import { CONFIG } from './screen';

const RANDOM = `${CONFIG}data:
  type: random
  input_distribution: { mean: 100 }
  output_distribution: { type: fixed, mean: 64 }
`;
const SHARED = `${CONFIG}data:\n  type: shared_prefix\n  shared_prefix: { num_groups: 2, num_prompts_per_group: 10 }\n`;
const SWEEP = RANDOM.replace(/ {2}stages:[\s\S]*60\n/, '  sweep: { type: geometric }\n');
const REPLAY = `load:\n  type: trace_session_replay\n  stages:\n    - concurrent_sessions: 2\napi: { type: chat }\nserver: { base_url: http://h:1 }\ndata:\n  type: otel_trace_replay\n  otel_trace_replay: { trace_directory: t, use_static_model: true, static_model_name: m }\n`;

const MEDIA = `${CONFIG}api: { type: chat }\n${RANDOM.slice(CONFIG.length).replace('random', 'synthetic')}  multimodal:\n    image:\n      count: { mean: 1, std_dev: 0 }\n      representation: webp\n`;

/** A text whose finding of that code has a fix. */
const FIXED: Readonly<Record<string, string>> = {
  YML005: 'load:\n\ttype: constant\n',
  YML007: CONFIG.replace('type: constant', 'type: poisson\n  type: constant'),
  YML012: CONFIG.replace('type: constant', 'type: constant\n  type: constant'),
  CFG001: CONFIG.replace('rate:', 'raet:'),
  CFG002: CONFIG.replace('rate: 5', 'rate: 1,000'),
  CFG003: CONFIG.replace('rate: 5', 'duration: 5').replace('      duration: 60\n', ''),
  CFG005: CONFIG.replace('constant', 'constnat'),
  CFG006: RANDOM.replace('mean: 100', 'mean: 100, min: 20, max: 10'),
  CFG007: `${CONFIG}data:\n`,
  CFG011: CONFIG.replace(/server:[\s\S]*/, ''),
  CFG012: CONFIG.replace(/ {2}stages:[\s\S]*60\n/, ''),
  CFG014: `${CONFIG}data:\n  type: shared_prefix\n`,
  CFG016: `# isoperf: target=v0.6.1\n${CONFIG}api:\n  type: completion\n  zz: 1\n`,
  CFG020: CONFIG.replace('warmup', 'warmpu'),
  CMP006: RANDOM,
  CMP008: CONFIG.replace(' # isoperf: warmup', ''),
  CMP018: SWEEP,
  CMP024: RANDOM,
  CMP025: RANDOM.replace('mean: 100', 'mean: 100, std_dev: 200, min: 10, max: 1000'),
  CMP029: RANDOM.replace('# isoperf: seed=42\n', ''),
  CMP030: SHARED.replace('# isoperf: seed=42\n', ''),
  CMP042: SWEEP,
  CMP043: SHARED.concat('api: { type: chat }\n').replace(
    'num_groups: 2',
    'num_groups: 2, enable_multi_turn_chat: true',
  ),
  CMP047: REPLAY,
  CMP050: MEDIA,
  CMP052: RANDOM,
  CMP057: `${RANDOM.replace('http://h:1', 'http://h:1\n  model_name: m')}api: { streaming: true }\n`,
  CMP063: `${RANDOM}report: { request_lifecycle: { percentiles: [50] } }\n`,
  CMP064: RANDOM,
  CMP074: `${RANDOM}metrics: { type: prometheus, prometheus: { url: "http://p:9090" } }\n`,
  CMP079: `${RANDOM}storage: { google_cloud_storage: { bucket_name: b, path: reports } }\n`,
  CMP084: RANDOM.replace('type: constant', 'type: constant\n  worker_max_tcp_connections: 5'),
  CMP085: CONFIG.replace(' # isoperf: warmup', '').replace('60\n', '20\n    - rate: 5\n      duration: 60\n'),
  CMP092: CONFIG.replace('type: constant', 'type: concurrent\n  worker_max_concurrency: 5')
    .replace('rate: 5', 'num_requests: 5')
    .replace('duration: 60', 'concurrency_level: 5'),
  CMP105: MEDIA,
  CMP106: MEDIA,
};

/** Reasons why there is no edit to offer; the pitfalls among them can be accepted with a reason, as all can. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  'what was meant cannot be told from a text that is broken there': ['YML001', 'YML004', 'YML006', 'YML010', 'YML011'],
  'it is about the whole text, not about a place in it': ['YML002', 'YML003', 'YML013', 'CFG008', 'CFG010', 'CFG023'],
  'the values an endless or exploding alias stands for are nobody\u2019s': ['YML008', 'YML009'],
  'only the author knows the number or the word': ['CFG004', 'CFG009', 'CFG013', 'CMP023'],
  'it is about the command line': ['CFG015'],
  'the stage or the value a directive was meant for is the author\u2019s to say': ['CFG021', 'CFG022'],
  'which version runs is known to whoever deploys it': ['CFG024', 'CFG026'],
  'how far a whole section is to be indented is seen best by its author': ['CFG025'],
  'how many requests and how much time a run may take is a choice': [
    ...['CMP004', 'CMP009', 'CMP010', 'CMP012', 'CMP015', 'CMP016', 'CMP020', 'CMP021', 'CMP031'],
  ],
  'it says how to read the numbers; the config may stay as it is': [
    ...['CMP001', 'CMP022', 'CMP035', 'CMP044', 'CMP045', 'CMP046', 'CMP049', 'CMP066', 'CMP068', 'CMP076'],
    ...['CMP077', 'CMP081', 'CMP082', 'CMP102', 'CMP103', 'CMP011', 'CMP028', 'CMP104', 'CMP107'],
  ],
  'there are several ways out, and they measure different things': ['CMP019', 'CMP034', 'CMP037', 'CMP040', 'CMP048'],
};

const documented = [
  ...readFileSync(path.resolve(import.meta.dirname, '../../../docs/findings.md'), 'utf8').matchAll(/^## (\w+)$/gm),
].map(([, code]) => code!);
const inConfigs = PITFALLS.flatMap(({ code, inConfig }) => (inConfig ? [code] : []));

describe('a fix or a reason', () => {
  it('is decided for every code, once', () => {
    const decided = [...Object.keys(FIXED), ...Object.values(WITHOUT).flat()];
    expect(decided.length).toBe(new Set(decided).size);
    expect([...decided].sort()).toEqual([...documented, ...inConfigs].sort());
  });

  it.each(Object.entries(FIXED))('%s has a fix, which mends it', (code, text) => {
    const { problem, edits } =
      allActions(text, { cpus: 4 }).find((action) => action.code === code && !action.title.startsWith('Accept')) ?? {};
    expect(problem, code).toBeDefined();
    // Tab stops are taken at their defaults.
    const filled = edits!.map((edit) => ({
      ...edit,
      newText: edit.newText.replace(/\$\{\d+\|([^,|]*)[^}]*\}/g, '$1').replace(/\$\{\d+:([^}]*)\}/g, '$1'),
    }));
    const after = diagnostics(applyEdits(text, filled), {});
    const isSame = (other: Problem): boolean =>
      other.code === code && other.message === problem!.message && other.path.join() === problem!.path.join();
    expect(after.filter(isSame)).toEqual([]);
    expect(after.filter((other) => other.code.startsWith('YML') && other.severity === 'error')).toEqual([]);
  });

  it('every pitfall of a config can be accepted with a reason', () => {
    for (const action of allActions(RANDOM).filter(({ code }) => code.startsWith('CMP')))
      expect(allActions(RANDOM).some(({ code, title }) => code === action.code && title.startsWith('Accept'))).toBe(
        true,
      );
  });
});
