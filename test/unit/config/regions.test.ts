// Configs inside other files, and files that only look similar.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { looksLikeConfig } from '../../../src/config/detect';
import { readConfig } from '../../../src/config/load';

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
    const start = performance.now();
    for (let round = 0; round < 10; round += 1) looksLikeConfig(text);
    expect((performance.now() - start) / 10).toBeLessThan(50);
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
