// Configs inside other files, and files that only look similar.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { looksLikeConfig } from '../../../src/config/find/detect';
import { loadConfig, readConfig, readConfigs } from '../../../src/config/load';
import { loaderVerdict } from '../../../src/config/loader';

const CONFIG = `load:
  type: poisson
  stages:
    - rate: 5
      duration: 30 # isoperf: warmup
    - { rate: 5, duration: 60 }
server:
  base_url: http://h:1
`;

const indent = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

const WRAPPED = {
  workload: `endpoint:
  model: &model m
workload:
  sanity:
${indent(CONFIG, '    ')}      model_name: *model
`,
  helm: `job:\n  image: x\nconfig:\n${indent(CONFIG, '  ')}`,
  configmap: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  config.yml: |\n${indent(CONFIG, '    ')}`,
  documents: `apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: ConfigMap\ndata:\n  config.yml: |\n${indent(CONFIG, '    ')}---\napiVersion: batch/v1\nkind: Job\n`,
};

describe.each(Object.entries(WRAPPED))('%s', (_kind, text) => {
  it('is found, read and mapped back to its lines', () => {
    expect(looksLikeConfig(text)).toBe(true);
    const { loaded, problems, region } = readConfig(text);
    expect(problems).toEqual([]);
    expect(region?.kind).not.toBe('file');
    expect(loaded?.config.load.stages).toHaveLength(2);
    expect([...loaded!.warmupStages]).toEqual([0]);
    const line = text.split('\n').findIndex((entry) => entry.includes('- rate: 5'));
    expect(loaded!.range(['load', 'stages', 0, 'rate'], 'value')).toMatchObject({
      startLine: line,
      startColumn: text.split('\n')[line]!.indexOf('5'),
    });
  });
  it('shows mistakes at their place in the file', () => {
    const broken = text.replace('- rate: 5', '- raet: 5');
    const line = broken.split('\n').findIndex((entry) => entry.includes('raet'));
    const found = readConfig(broken).problems.find((problem) => problem.code === 'CFG001');
    expect(found?.range).toMatchObject({ startLine: line, startColumn: broken.split('\n')[line]!.indexOf('raet') });
  });
});

const HEREDOC = `apiVersion: batch/v1
kind: Job
spec:
  template:
    spec:
      containers:
        - name: bench
          image: quay.io/inference-perf/inference-perf:v0.6.1
          command: ["sh", "-c"]
          args:
            - |
              set -e
              cat > /tmp/config.yml <<'EOF'
${indent(CONFIG, '              ')}              EOF
              inference-perf -c /tmp/config.yml
`;

describe('more places', () => {
  const text = (yaml: string) => {
    const reading = readConfig(yaml);
    const line = yaml.split('\n').findIndex((entry) => entry.includes('- rate: 5'));
    const column = yaml.split('\n')[line]?.indexOf('5');
    return { reading, place: { startLine: line, startColumn: column } };
  };
  it.each([
    ['a heredoc in a Job', HEREDOC, 'heredoc', '/tmp/config.yml'],
    [
      'a heredoc in a shell script',
      `#!/bin/sh\nif [ "$1" = x ]; then\n  echo: "a\nfi\ncat <<EOF > c.yaml\n${CONFIG}EOF\n`,
      'heredoc',
      'c.yaml',
    ],
    [
      'a template for a sweep of runs',
      `workload:\n  harness: inference-perf\n  profileTemplate:\n${indent(CONFIG, '    ')}`,
      'workload',
      'workload.profileTemplate',
    ],
    [
      'values of a parent chart',
      `bench:\n  perf:\n    settings:\n${indent(CONFIG, '      ')}`,
      'wrapped',
      'bench.perf.settings',
    ],
    ['a list of runs', `runs:\n  - name: a\n    what:\n${indent(CONFIG, '      ')}`, 'wrapped', 'runs[0].what'],
    [
      'a Secret',
      `apiVersion: v1\nkind: Secret\nstringData:\n  c.yaml: |\n${indent(CONFIG, '    ')}`,
      'configmap',
      'stringData[c.yaml]',
    ],
  ])('%s', (_name, yaml, kind, name) => {
    const { reading, place } = text(yaml);
    expect(looksLikeConfig(yaml)).toBe(true);
    expect(reading.region).toMatchObject({ kind, name });
    // What a Job does to the run is another matter, see surroundings.test.ts.
    expect(reading.problems.filter(({ code }) => code !== 'CFG026')).toEqual([]);
    expect(reading.loaded?.range(['load', 'stages', 0, 'rate'], 'value')).toMatchObject(place);
    expect([...reading.loaded!.warmupStages]).toEqual([0]);
  });
  it('the image of the Job chooses the version that judges', () => {
    expect(readConfig(HEREDOC).target).toEqual({ target: 'v0.6.1', from: 'image' });
  });
  it('JSON in the quotes of a ConfigMap', () => {
    const yaml = `apiVersion: v1\nkind: ConfigMap\ndata:\n  c.json: '{"load": {"stages": [{"raet": 5, "duration": 9}]}, "server": {"base_url": "http://h:1"}}'\n`;
    expect(looksLikeConfig(yaml)).toBe(true);
    const found = readConfig(yaml).problems.find((problem) => problem.code === 'CFG001');
    expect(found?.range).toMatchObject({ startLine: 3, startColumn: yaml.split('\n')[3]!.indexOf('"raet"') });
  });
  it('two configs of one name are still told apart', () => {
    const yaml = HEREDOC.replace(
      '              inference-perf',
      `              cat <<EOF > /tmp/config.yml\n${indent(CONFIG.replace('rate: 5', 'rate: 7'), '              ')}              EOF\n              inference-perf`,
    );
    const { regions } = readConfig(yaml).search;
    expect(regions.map((region) => region.name)).toEqual(['/tmp/config.yml', '/tmp/config.yml (2)']);
    expect(readConfig(yaml, { region: '/tmp/config.yml (2)' }).loaded?.config.load.stages[0]).toMatchObject({
      rate: 7,
    });
  });
});

describe('templates that are no YAML yet', () => {
  it('a line that stands for a block: the rest is judged, what is missing is not', () => {
    const { problems, loaded } = readConfig('${load_block}\nserver:\n  base_url: http://h:1\ndata:\n  tpye: random\n');
    expect(problems.map((problem) => [problem.code, problem.severity, problem.range?.startLine])).toEqual([
      ['CFG001', 'error', 4],
      ['CFG009', 'information', 0],
    ]);
    expect(loaded).toBeUndefined();
  });
  it('Helm: control lines are passed over, blocks and values are to be filled', () => {
    const yaml = `load:\n  type: poisson\n  stages:\n    {{- range .Values.rates }}\n    - rate: {{ . }}\n      duration: 60\n    {{- end }}\nserver:\n  base_url: {{ .Values.host }}:{{ .Values.port }}\n{{ toYaml .Values.extra | nindent 0 }}\n`;
    const { problems } = readConfig(yaml);
    expect(problems.map((problem) => [problem.code, problem.severity, problem.range?.startLine])).toEqual([
      ['CFG009', 'information', 9],
      ['CFG009', 'information', 4],
      ['CFG009', 'information', 8],
    ]);
    expect(problems[2]!.message).toContain("'{{ .Values.host }}'");
  });
  it('a syntax error that no template explains stays one', () => {
    expect(readConfig('load: {{ x }}\nserver: [\n').problems.some((problem) => problem.code === 'YML001')).toBe(true);
  });
});

describe('a Kubernetes object is never a config', () => {
  it.each([
    ['a text that is none', 'ConfigMap', 'data:\n  config.yml: |\n    server:\n      port: 80\n'],
    ['data beside a list', 'ConfigMap', 'data:\n  load: "5"\n'],
    ['sections of the same names', 'LoadTest', 'load:\n  stages: [{rate: 1, duration: 2}]\nserver: {base_url: x}\n'],
    ['nothing else', 'Service', ''],
  ])('%s', (_name, kind, rest) => {
    for (const more of ['', '---\napiVersion: v1\nkind: Service\nserver: {a: 1}\n']) {
      const { problems, loaded } = readConfig(`apiVersion: v1\nkind: ${kind}\n${rest}${more}`);
      expect(problems.map(({ code }) => code)).toEqual(['CFG010']);
      expect(problems[0]!.message).toContain(`a Kubernetes ${kind}`);
      expect(problems[0]!.remedy).not.toContain('Remove');
      expect(loaded).toBeUndefined();
    }
  });
});

describe('branches and blocks of a template', () => {
  const inLoad = (lines: string): string => `load:\n  type: poisson\n${lines}server:\n  base_url: http://h:1\n`;
  const errors = (text: string): string[] =>
    readConfig(text).problems.flatMap(({ code, severity }) => (severity === 'error' ? [code] : []));
  const SOME = '  stages:\n    - { rate: 5, duration: 60 }\n';
  it.each([
    ['if and else', `  {{- if .Values.x }}\n${SOME}  {{- else }}\n  stages: []\n  {{- end }}\n`],
    ['else if', `{{ if a }}\n${SOME}{{ else if b }}\n  stages: []\n{{ else }}\n  stages: {}\n{{ end }}\n`],
    ['two conditions', `  {{- if .a }}\n${SOME}  {{- end }}\n  {{- if not .a }}\n${SOME}  {{- end }}\n`],
    ['Jinja', `{% if a %}\n${SOME}{% elif b %}\n  stages: []\n{%- else %}\n  stages: []\n{% endif %}\n`],
    ['one inside another', `{{ if a }}\n{{ with b }}\n${SOME}{{ end }}\n{{ else }}\n  stages: []\n{{ end }}\n`],
  ])('%s: no key is written twice', (_name, lines) => {
    expect(errors(inLoad(lines))).toEqual([]);
    expect(readConfig(inLoad(lines)).loaded?.config.load.stages).toHaveLength(1);
  });
  it('twice in one branch is twice', () => {
    expect(errors(inLoad(`{{ if a }}\n${SOME}  stages: []\n{{ end }}\n`))).toContain('YML007');
  });
  it.each(['${STAGES}', '$STAGES', '$(STAGES)', '<stages>', '__STAGES__', '{{ .Values.stages }}'])(
    'a block %s below a value is a block, not the rest of the value',
    (mark) => {
      const { problems, loaded } = readConfig(inLoad(`  ${mark}\n`));
      expect(problems.map(({ code, range }) => [code, range?.startLine])).toEqual([['CFG009', 2]]);
      expect(problems[0]!.message).toContain(`A whole block is to be filled: '${mark}'`);
      expect(loaded?.placeholders).toEqual([]);
    },
  );
  it('a value on the line after its key is a value to fill', () => {
    const text = `load:\n${SOME}server:\n  base_url:\n    \${URL}\n`;
    expect(readConfig(text).loaded?.placeholders.map(({ path }) => path)).toEqual([['server', 'base_url']]);
  });
});

describe('code in a config', () => {
  const replay = (filter: string): string =>
    `load: { type: trace_session_replay, stages: [{ concurrent_sessions: 1 }] }
server: { base_url: http://h:1 }
data:
  type: otel_trace_replay
  otel_trace_replay: { trace_directory: t, use_static_model: true, static_model_name: m, filter: ${JSON.stringify(filter)} }
`;
  it.each(['lambda s: len(s) > ${MIN}', 'lambda s: len(s) > {{ .Values.min }}', 'lambda s: s.n < $(MAX)', '@FILTER@'])(
    'a placeholder inside a filter is to be filled: %s',
    (filter) =>
      expect(readConfig(replay(filter)).loaded?.placeholders.map(({ path }) => path.at(-1))).toEqual(['filter']),
  );
  it.each(['lambda s: a<b and c>d', 'lambda s: {{"a": 1}["a"]: 2}', "lambda s: s['$x'] == '<y>'", "f'{{{s}}}'"])(
    'code is no placeholder: %s',
    (filter) => expect(readConfig(replay(filter)).loaded?.placeholders).toEqual([]),
  );
  it('many plain stages are no aliases that expand', () => {
    const text = `load:\n  stages:\n${'    - { rate: 1, duration: 2 }\n'.repeat(11_000)}server: { base_url: "http://h:1" }\n`;
    const { problems, loaded } = readConfig(text, { maxText: 4_000_000 });
    expect(problems).toEqual([]);
    expect(loaded?.config.load.stages).toHaveLength(11_000);
  });
});

describe('a second document', () => {
  it.each([
    ['after the config', `${CONFIG}---\na: 1\n`],
    ['before it', `a: 1\n---\n${CONFIG}`],
    ['empty', `${CONFIG}---\n`],
    ['after an end', `${CONFIG}...\na: 1\n`],
  ])('%s: refused as the loader refuses it', (_name, text) => {
    expect(loaderVerdict(text).accepts).toBe(false);
    expect(loadConfig(text).ok).toBe(false);
    expect(readConfig(text).problems.map(({ code }) => code)).toContain('YML004');
  });
  it('two configs have names, and either can be asked for', () => {
    const text = `${CONFIG}---\n${CONFIG.replace('rate: 5', 'rate: 9')}`;
    const { regions } = readConfig(text).search;
    expect(regions.map(({ name }) => name)).toEqual(['document', 'document (2)']);
    expect(readConfigs(text).every(({ problems }) => problems.some(({ severity }) => severity === 'error'))).toBe(true);
    expect(regions.map(({ name }) => rateOf(loadConfig(text, { region: name })))).toEqual([5, 9]);
  });
});

const rateOf = (loaded: ReturnType<typeof loadConfig>): unknown =>
  loaded.ok ? (loaded.value.config.load.stages[0] as { rate?: number }).rate : loaded.problems;

describe('several configs in one file', () => {
  const text = `workload:\n  one:\n${indent(CONFIG, '    ')}  two:\n${indent(CONFIG.replace('rate: 5', 'rate: 9'), '    ')}`;
  it('asks which one', () => {
    const { problems } = readConfig(text, { fileName: 'w.yaml' });
    expect(problems).toMatchObject([{ code: 'CFG010' }]);
    expect(problems[0]!.message).toContain('workload.one, workload.two');
  });
  it('takes the one that is named, and says what there is', () => {
    expect(readConfig(text, { region: 'workload.two' }).loaded?.config.load.stages[0]).toMatchObject({ rate: 9 });
    expect(readConfig(text, { region: 'three' }).problems[0]!.message).toContain('workload.one');
  });
});

describe('files that are none', () => {
  it.each([
    ['a Service', 'apiVersion: v1\nkind: Service\nspec:\n  ports: [{port: 80}]\n'],
    [
      'a ConfigMap of something else',
      'apiVersion: v1\nkind: ConfigMap\ndata:\n  app.yaml: |\n    server:\n      port: 80\n',
    ],
    ['an application config', 'server:\n  port: 8080\nstorage:\n  path: /data\nmetrics:\n  enabled: true\n'],
    ['an experiment plan', 'experiment: x\ndesign:\n  type: full\ntreatments:\n  - data.shared_prefix.num_groups: 5\n'],
    ['camel-case Helm values', 'loadGenerator:\n  numWorkers: 3\nserver:\n  baseUrl: x\n'],
    [
      'a plan that overrides dotted keys',
      'setup:\n  load.stages[0].rate: [1, 2]\ntreatments:\n  - data.type: random\n',
    ],
    ['a load section of something else, nested', 'service:\n  load:\n    stages: 3\n'],
    ['a Job that mounts a config', 'apiVersion: batch/v1\nkind: Job\nspec:\n  command: [inference-perf]\n'],
    ['GitHub Actions', 'on: push\njobs:\n  load:\n    runs-on: ubuntu-latest\n    steps: []\n'],
    ['nothing', ''],
    ['prose', 'load: the weight of a thing\n'],
  ])('%s', (_name, text) => {
    expect(looksLikeConfig(text)).toBe(false);
  });
  it.each([
    ['a load section being typed', 'load:\n  type: poisson\n'],
    ['a broken one', 'load:\n  stages:\n\t- rate: 1\n'],
    ['JSON on one line', '{"load":{"stages":[{"rate":1,"duration":2}]},"server":{"base_url":"http://h:1"}}'],
    ['one with data and server', 'data:\n  type: random\nserver:\n  base_url: x\n'],
  ])('but %s is one', (_name, text) => {
    expect(looksLikeConfig(text)).toBe(true);
  });
  it('5 MB of something else cost no time', () => {
    const text = 'key: value # load\n'.repeat(300_000);
    // Processor time: other processes do not lengthen it.
    const before = process.cpuUsage();
    for (let round = 0; round < 10; round += 1) looksLikeConfig(text);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 10_000).toBeLessThan(100);
  });
});

const CORPUS = path.resolve(import.meta.dirname, '../../../../shared/corpus/configs');

describe.skipIf(!existsSync(CORPUS))('the public corpus', () => {
  const files = existsSync(CORPUS) ? readdirSync(CORPUS).filter((name) => /\.ya?ml$/.test(name)) : [];
  const NONE = ['042', '043', '044', '046', '104', '115', '124', '127', '128'];
  it('is recognised file by file', () => {
    const wrong = files.filter(
      (name) => looksLikeConfig(readFileSync(path.join(CORPUS, name), 'utf8')) === NONE.includes(name.slice(0, 3)),
    );
    expect(wrong).toEqual([]);
  });
  it('never makes the reader throw, and every problem has words and a place inside the file', () => {
    for (const name of files) {
      const text = readFileSync(path.join(CORPUS, name), 'utf8');
      for (const problem of readConfig(text).problems) {
        expect(problem.message.length, name).toBeGreaterThan(10);
        expect(problem.range?.endLine ?? 0, name).toBeLessThanOrEqual(text.split('\n').length);
      }
    }
  });
  it('047, a template inside a workload file, is to be filled in five places and nothing else', () => {
    const text = readFileSync(path.join(CORPUS, '047-llmd-agentic-guide.yaml'), 'utf8');
    const { problems, region } = readConfig(text);
    expect(region?.name).toBe('workload.Agentic_Workload');
    expect([...new Set(problems.map((problem) => problem.code))]).toEqual(['CFG009']);
    expect(problems).toHaveLength(5);
  });
});

if (!existsSync(CORPUS)) console.log('skipped: ../shared/corpus is not here, public configs are not read');
