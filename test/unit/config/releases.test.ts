// What each inference-perf release accepts, refuses and ignores, by cases of our own; the oracle has the measured ones.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { validateCommand } from '../../../src/cli/validate';
import { DIRECTIVES } from '../../../src/config/directives';
import { readConfig, readConfigs } from '../../../src/config/load';
import { loaderVerdict } from '../../../src/config/loader';
import {
  has,
  KNOWN_TARGETS,
  NEWEST,
  TARGETS,
  targetOf,
  targetOfImage,
  type Target,
} from '../../../src/config/model/target';

const SERVER = 'server: {base_url: "http://h:1"}\n';
const LOAD = 'load: {stages: [{rate: 1, duration: 9}]}\n';

/** The verdicts from the oldest to the newest, e.g. `..++++-`. */
const line = (yaml: string): string =>
  TARGETS.map((target) => (loaderVerdict(yaml, target).accepts ? '+' : '-')).join('');

const ignored = (yaml: string, target: Target): readonly string[] =>
  readConfig(yaml, { target })
    .problems.filter((problem) => problem.code === 'CFG016')
    .map((problem) => problem.message);

it('judges a number too large for JSON in a field that the release does not know yet', () => {
  const yaml = `load: {type: constant, base_seed: 1${'0'.repeat(25)}, request_timeout: 1${'0'.repeat(25)}}\n`;
  for (const target of TARGETS) expect(() => loaderVerdict(yaml, target)).not.toThrow();
  expect(ignored(yaml, 'v0.2.0').join(' ')).toMatch(/request_timeout/);
});

describe('accept or refuse, v0.2.0 to v0.7.0', () => {
  it.each([
    ['an unknown key', 'loda: 1\n', '++++++--'],
    [
      'an unknown key in a concurrent stage',
      'load: {type: concurrent, stages: [{num_requests: 1, concurrency_level: 1, x: 1}]}\n',
      '-+++++--',
    ],
    [
      'an unknown key in a session stage',
      'load: {type: trace_session_replay, stages: [{concurrent_sessions: 1, x: 1}]}\n',
      '--------',
    ],
    ['a stage of rate 0', 'load: {stages: [{rate: 0, duration: 9}]}\n', '+-------'],
    ['num_requests in an open stage', 'load: {stages: [{rate: 1, duration: 9, num_requests: 3}]}\n', '+-------'],
    ['min above max', 'data: {input_distribution: {min: 9, max: 2}}\n', '+++-----'],
    ['variance without std_dev', 'data: {input_distribution: {variance: 4}}\n', '+++-----'],
    ['a distribution as length', 'data: {shared_prefix: {question_len: {mean: 9}}}\n', '---+++++'],
    ['a newer load type', 'load: {type: trace_replay}\n', '-+++++++'],
    ['a newer data type', 'data: {type: visionarena}\n', '----++++'],
    ['a newer route', 'api: {type: anthropic_messages}\n', '-----+++'],
    [
      'shares that are not 1, where they are known',
      'load: {lora_traffic_split: [{name: a, split: 0.5}]}\n',
      '++------',
    ],
    ['both names of one field', 'data: {shared_prefix: {num_groups: 3, num_unique_system_prompts: 4}}\n', '++++++--'],
    ['a key that is not text in a section', 'api: {1: x}\n', '++++++--'],
    ['a key that is not text at the top', '1: x\n', '--------'],
    ['a key that is not text in a stage', 'load: {stages: [{rate: 1, duration: 9, 1: x}]}\n', '+-------'],
    ['use_chat_template for another type', 'data: {use_chat_template: true}\n', '++++++--'],
    ['only comments', '# nothing\n', '---+++++'],
    ['an empty mapping', '{}\n', '++++++++'],
    [
      'an unknown key in a breaker',
      'circuit_breakers: [{name: a, metrics: {matches: [x]}, triggers: [], x: 1}]\n',
      '++++++++',
    ],
    ['nonsense in a section that is not known yet', 'circuit_breakers: 5\n', '+-------'],
    [
      'a Hugging Face source beside a directory',
      'load: {type: trace_session_replay}\ndata: {type: otel_trace_replay, otel_trace_replay: {trace_directory: x, hf_dataset_path: y}}\n',
      '---+----',
    ],
  ])('%s', (_name, yaml, expected) => {
    expect(line(yaml)).toBe(expected);
  });
});

describe('what is ignored is said, with what runs instead', () => {
  it('a key that came later', () => {
    const [message, ...more] = ignored(`${SERVER}load: {base_seed: 5, stages: [{rate: 1, duration: 9}]}\n`, 'v0.4.0');
    expect(message).toMatch(
      /v0\.4\.0 ignores 'base_seed' under load in silence: it came with v0\.5\.0.*load\.base_seed as the current time/,
    );
    expect(more).toEqual([]);
  });
  it('a misspelt key: the default of what was meant', () => {
    const yaml = `${SERVER}${LOAD}data: {type: random, input_distribution: {mean: 9, std: 0}, output_distribution: {mean: 9}}\n`;
    expect(ignored(yaml, 'v0.6.1').join()).toMatch(/'std' under data\.input_distribution.*std_dev 200/);
    expect(ignored(yaml, 'main')).toEqual([]);
  });
  it('a section at the wrong place: the defaults of the section', () => {
    const yaml = `${SERVER}${LOAD}tokenizer:\n  data: {type: random}\n`;
    expect(ignored(yaml, 'v0.6.1').join()).toMatch(/'data' under tokenizer.*defaults of data \(type: mock\)/);
  });
  it('the older of two names', () => {
    const yaml = `${SERVER}${LOAD}data: {type: shared_prefix, shared_prefix: {num_groups: 3, num_unique_system_prompts: 4}}\n`;
    expect(ignored(yaml, 'v0.6.1').join()).toContain("'num_unique_system_prompts' stands beside it and wins");
    expect(ignored(yaml, 'v0.3.0').join()).toMatch(/'num_unique_system_prompts'.*came with v0\.4\.0/);
  });
  it('main ignores only unknown keys of circuit breakers', () => {
    const yaml = `${SERVER}${LOAD}circuit_breakers: [{name: a, metrics: {matches: [x], rulez: []}, triggers: []}]\n`;
    expect(ignored(yaml, 'main').join()).toContain("'rulez' under circuit_breakers[0].metrics");
  });
  it('stands at the key, as a warning, and does not stop a run', () => {
    const yaml = `# isoperf: target=v0.6.1\n${SERVER}${LOAD}data: {tpye: random}\n`;
    const { problems, loaded } = readConfig(yaml);
    expect(loaded?.config.data.type).toBe('mock');
    expect(problems).toMatchObject([{ code: 'CFG016', severity: 'warning', range: { startLine: 3, startColumn: 7 } }]);
  });
  it('a word that came later is an error that lists the words of the release', () => {
    const { problems } = readConfig(`${SERVER}load: {type: concurrent}\n`, { target: 'v0.2.0' });
    expect(problems.map((problem) => `${problem.message} ${problem.remedy}`).join()).toMatch(
      /'concurrent' came with v0\.3\.0.*Known there: constant, poisson/,
    );
  });
  it('what an old release loads and nobody can mean stays an error of the file, not of the loader', () => {
    const yaml = `${SERVER}load: {stages: [{rate: 0, duration: 9}]}\n`;
    expect(loaderVerdict(yaml, 'v0.2.0')).toMatchObject({ accepts: true, problems: [] });
    expect(readConfig(yaml, { target: 'v0.2.0' }).problems).toMatchObject([{ code: 'CFG004', severity: 'error' }]);
  });
});

describe('v0.7.0', () => {
  const sessions = (stage: string): string =>
    `${SERVER}load: {type: trace_session_replay, stages: [{${stage}}]}\napi: {type: chat}\ndata: {type: weka_trace_replay, weka_trace_replay: {trace_directory: x}}\n`;
  it('takes the keys it brought, which main before it refuses by name', () => {
    const yaml = `${SERVER}load: {request_retries: 0, stages: [{rate: 1, duration: 9}]}\n`;
    expect(readConfig(yaml).problems).toEqual([]);
    expect(readConfig(yaml, { target: 'main' }).problems).toMatchObject([
      { code: 'CFG001', severity: 'error', remedy: 'Use v0.7.0 or newer, or remove it.' },
    ]);
    expect(loaderVerdict(yaml, 'main').accepts).toBe(false);
    expect(ignored(yaml.replace('retries: 0', 'retries: 2'), 'v0.6.1').join()).toContain('came with v0.7.0');
  });
  it('says of a key that came after it since when there is one, and what it is called until then', () => {
    const [problem, ...more] = readConfig(sessions('concurrent_sessions: 1, max_stage_duration: 9')).problems;
    expect(more).toEqual([]);
    expect(problem!.message).toContain('came after v0.7.0');
    expect(problem!.remedy).toContain("'timeout'");
    expect(readConfig(sessions('concurrent_sessions: 1, timeout: 9')).problems).toEqual([]);
  });
  it('adds shares up without rounding errors, older versions one by one', () => {
    const shares = (split: number, count: number): string =>
      `${SERVER}load: {stages: [{rate: 1, duration: 9}], lora_traffic_split: [${Array.from({ length: count }, (_, i) => `{name: a${i}, split: ${split}}`).join(', ')}]}\n`;
    expect(line(shares(0.1, 10))).toBe('++-----+');
    expect(line(shares(0.25, 4))).toBe('++++++++');
    expect(line(shares(0.1, 9))).toBe('++------');
  });
  const LENGTHS = 'num_sessions: 5, input_tokens_per_turn: {}, output_tokens_per_turn: {}';
  it.each([
    [LENGTHS, true],
    ['num_sessions: 5, input_tokens_per_turn: {}', false],
    ['num_sessions: 0, input_tokens_per_turn: {}, output_tokens_per_turn: {}', false],
    [`${LENGTHS}, include_errors: false`, false],
    [`${LENGTHS}, theme_mix: {generic: 1, x: {weight: 2, y: 1}}`, true],
    [`${LENGTHS}, theme_mix: {generic: 0}`, false],
    [`${LENGTHS}, theme_mix: {}`, false],
    // 1000 + 8 x 380 + 1024 + 2 x (1024 + 1024) + 1024 tokens.
    [`${LENGTHS}, max_model_len: 10184`, true],
    [`${LENGTHS}, max_model_len: 10183`, false],
  ])('generated sessions: %s', (block, accepts) => {
    const yaml = `${SERVER}load: {type: trace_session_replay, stages: [{concurrent_sessions: 1}]}\ndata: {type: synthetic_agentic, synthetic_agentic: {${block}}}\n`;
    expect(loaderVerdict(yaml).accepts).toBe(accepts);
    expect(loaderVerdict(yaml, 'main').accepts).toBe(false);
  });
});

describe('which version', () => {
  const config = `${SERVER}${LOAD}`;
  const manifest = (image: string): string =>
    `apiVersion: v1\nkind: ConfigMap\ndata:\n  config.yml: |\n    server: {base_url: "http://h:1"}\n    load: {stages: [{rate: 1, duration: 9}]}\n---\napiVersion: batch/v1\nkind: Job\nspec:\n  template:\n    spec:\n      containers:\n      - name: x\n        image: ${image}\n`;
  it('is the newest when nobody says otherwise', () => {
    expect(readConfig(config).target).toEqual({ target: 'v0.7.0', from: 'default' });
  });
  it('is the setting, the image, the directive, the option: the later wins', () => {
    const image = manifest('quay.io/inference-perf/inference-perf:v0.3.0');
    expect(readConfig(config, { defaultTarget: 'v0.5.0' }).target).toEqual({ target: 'v0.5.0', from: 'setting' });
    expect(readConfig(image, { defaultTarget: 'v0.5.0' }).target).toEqual({ target: 'v0.3.0', from: 'image' });
    const directive = image.replace('    load:', '    # isoperf: target=v0.4.0\n    load:');
    expect(readConfig(directive, { defaultTarget: 'v0.5.0' }).target).toMatchObject({
      target: 'v0.4.0',
      from: 'directive',
    });
    expect(readConfig(directive, { target: 'v0.2.0' }).target).toEqual({ target: 'v0.2.0', from: 'option' });
  });
  it.each([
    ['v0.6.1', 'v0.6.1'],
    ['0.2.0', 'v0.2.0'],
    ['v0.4.1', 'v0.4.0'],
    ['0.6', 'v0.6.0'],
    ['v0.6.9', 'v0.6.1'],
    ['v0.7.0', 'v0.7.0'],
    ['0.7.1', 'v0.7.0'],
    ['main', 'main'],
    ['v1.0.0', 'v0.7.0'],
    ['v0.1.1', 'v0.2.0'],
    ['v0.5.0-rc.1', 'v0.5.0'],
    ['latest', 'v0.7.0'],
    ['sha-abc', undefined],
    ['', undefined],
  ])('%s means %s', (version, target) => {
    expect(targetOf(version)).toBe(target);
  });
  it.each([
    ['image: "quay.io/inference-perf/inference-perf:0.5.0"', 'v0.5.0'],
    ['  - image: ghcr.io/me/inference-perf:v0.3.0@sha256:abc', 'v0.3.0'],
    ['job:\n  image:\n    repository: quay.io/inference-perf/inference-perf\n    tag: "0.2.0" # x', 'v0.2.0'],
    ['job:\n  image:\n    repository: quay.io/inference-perf/inference-perf\n    tag: ""', undefined],
    ['image: vllm/vllm-openai:v0.6.1', undefined],
    ['# see inference-perf:v0.2.0', undefined],
  ])('of %s', (text, target) => {
    expect(targetOfImage(text)).toBe(target);
  });
  it.each([
    [
      'a container in braces',
      manifest('x').replace(/- name: x\n *image: x/, '- {name: c, image: "quay.io/p/inference-perf:v0.2.0"}'),
    ],
    [
      'containers on one line',
      manifest('x').replace(/containers:[^]*/, 'containers: [{image: x:v0.5.0}, {image: inference-perf:0.2.0}]\n'),
    ],
    [
      'Helm values in braces',
      `image: {repository: quay.io/p/inference-perf, tag: v0.2.0}\nconfig: {${(SERVER + LOAD).trim().replaceAll('\n', ', ')}}\n`,
    ],
    [
      'a tag above its repository',
      `image:\n  tag: '0.2.0'\n  repository: p/inference-perf\nconfig:\n${(SERVER + LOAD).replace(/^/gm, '  ')}\n`,
    ],
    [
      'an anchor',
      `x: &i quay.io/p/inference-perf:v0.2.0\nimage: *i\nconfig:\n${(SERVER + LOAD).replace(/^/gm, '  ')}\n`,
    ],
  ])('%s names the image', (_name, text) => {
    expect(readConfig(text).target).toEqual({ target: 'v0.2.0', from: 'image' });
  });
  it('of several images the one in the document of the config counts', () => {
    const helm = (tag: string): string =>
      `image: {repository: p/inference-perf, tag: ${tag}}\nconfig:\n${(SERVER + LOAD).replace(/^/gm, '  ')}`;
    const text = `${helm('v0.3.0').trimEnd()}\n---\n${helm('v0.5.0').trimEnd()}\n`;
    expect(readConfigs(text).map(({ target }) => target?.target)).toEqual(['v0.3.0', 'v0.5.0']);
  });
  it.each([
    ['newest', 'error', 'v0.7.0', /'newest' is none: v0\.7\.0 judges instead/],
    ['v9', 'error', 'v0.7.0', /'v9' is none: v0\.7\.0 judges instead/],
    ['main', 'information', 'main', /judged as main of 2026-08-19, which is older than v0\.7\.0/],
    ['v9.9.9', 'warning', 'v0.7.0', /no inference-perf v9\.9\.9: v0\.7\.0 judges instead/],
    ['v0.1.0', 'warning', 'v0.2.0', /no inference-perf v0\.1\.0: v0\.2\.0 judges instead/],
    ['v0.6.2', 'information', 'v0.6.1', /v0\.6\.2 is judged as v0\.6\.1/],
    ['v0.6', 'information', 'v0.6.0', /v0\.6 is judged as v0\.6\.0/],
    ['0.5.0-rc.1', 'information', 'v0.5.0', /judged as v0\.5\.0/],
  ] as const)('a directive that asks for %s is answered with %s', (version, severity, target, message) => {
    const reading = readConfig(`# isoperf: target=${version}\n${config}`);
    expect(reading.problems).toMatchObject([
      { code: 'CFG022', severity, range: { startLine: 0 }, remedy: `Known: ${KNOWN_TARGETS}.` },
    ]);
    expect(reading.problems[0]!.message).toMatch(message);
    expect(reading.target?.target).toBe(target);
  });
  it.each(['latest', '0.7.0', '0.6.1', 'v0.2.0'])('a directive that asks for %s is silent', (version) => {
    expect(readConfig(`# isoperf: target=${version}\n${config}`).problems).toEqual([]);
  });
  it('a directive that is no version leaves the choice to the image or the setting, and says to whom', () => {
    const { problems, target, loaded } = readConfig(`# isoperf: target=v9\n${config}`, { defaultTarget: 'v0.4.0' });
    expect(target).toEqual({ target: 'v0.4.0', from: 'setting' });
    expect(problems[0]?.message).toContain('v0.4.0 judges instead');
    expect(loaded?.directives).toEqual([]);
  });
  const values = (tag: string): string =>
    `image: {repository: p/inference-perf, tag: ${tag}}\nconfig:\n${(SERVER + LOAD).replace(/^/gm, '  ')}`;
  it.each([
    ['v9.9.9', 'warning', 'v0.7.0', /no inference-perf v9\.9\.9, which the image's tag names: v0\.7\.0 judges instead/],
    ['v0.1.0', 'warning', 'v0.2.0', /no inference-perf v0\.1\.0, .*: v0\.2\.0 judges instead/],
    ['sha-1a2b', 'warning', 'v0.7.0', /The tag 'sha-1a2b' .* names no version: v0\.7\.0 judges instead/],
    ['nightly', 'information', 'v0.7.0', /'nightly' is another build from day to day\. It is judged as v0\.7\.0/],
    ['main', 'information', 'main', /judged as main of 2026-08-19, which is older than v0\.7\.0/],
    ['v0.6.2', 'information', 'v0.6.1', /v0\.6\.2, .* is judged as v0\.6\.1/],
  ] as const)('an image tagged %s is answered with %s, at its tag', (tag, severity, target, message) => {
    for (const [text, line] of [
      [values(tag), 0],
      [manifest(`quay.io/p/inference-perf:${tag}`), 14],
    ] as const) {
      const reading = readConfig(text);
      const said = reading.problems.filter(({ code }) => code === 'CFG024');
      expect(said).toMatchObject([{ severity, range: { startLine: line } }]);
      expect(said[0]!.message).toMatch(message);
      expect(said[0]!.remedy).toContain('# isoperf: target=');
      expect(text.split('\n')[line]!.slice(said[0]!.range!.startColumn, said[0]!.range!.endColumn)).toBe(tag);
      expect(reading.target?.target).toBe(target);
    }
  });
  it('an image is silent when its version is one of ours, when there is no tag, or when another wish is heard', () => {
    const codes = (text: string, asked: { target?: Target } = {}): string[] =>
      readConfig(text, asked).problems.map(({ code }) => code);
    expect(codes(values('v0.6.1'))).toEqual([]);
    expect(codes(values('v0.7.0'))).toEqual([]);
    expect(codes(values('""'))).toEqual([]);
    expect(codes(values('v9.9.9'))).toEqual(['CFG024']);
    expect(codes(values('v9.9.9'), { target: 'v0.6.1' })).toEqual([]);
    expect(codes(values('v9.9.9').replace('config:\n', 'config:\n  # isoperf: target=v0.6.1\n'))).toEqual([]);
  });
  it('knows what a version has', () => {
    expect([has('v0.4.0', 'v0.5.0'), has('v0.5.0', 'v0.5.0'), has('main', 'v0.6.1'), has('v0.2.0', undefined)]).toEqual(
      [false, true, true, true],
    );
  });
});

describe('the list of versions', () => {
  const ROOT = path.resolve(import.meta.dirname, '../../..');
  const texts = new Map<string, string>([
    ['validate --help', validateCommand.help],
    ['the directive', DIRECTIVES.target.doc],
    ...['docs/targets.md', 'docs/directives.md', 'package.json'].map((name): [string, string] => [
      name,
      readFileSync(path.join(ROOT, name), 'utf8'),
    ]),
  ]);

  it.each([...texts])('is whole in %s', (_name, text) => {
    for (const target of TARGETS) expect(text).toMatch(new RegExp(`\\b${target.replaceAll('.', '\\.')}\\b`));
  });

  it('names the newest as the one that judges where nobody chose', () => {
    expect(validateCommand.help.replace(/\s+/g, ' ')).toContain(`image in it, or ${NEWEST}`);
    expect(validateCommand.help.split('\n').every((line) => line.length <= 120)).toBe(true);
  });
});
