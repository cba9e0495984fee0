// What stands around a config in its file: sections that lost their indentation, Jobs that run it twice or lose its report.
import { describe, expect, it } from 'vitest';
import { readConfigs } from '../../../src/config/load';
import type { Problem } from '../../../src/problem';

const CONFIG = `load: { type: constant, num_workers: 2, stages: [{ rate: 1, duration: 9 }] }
data: { type: mock }
server: { base_url: "http://h:1", model_name: m }
`;

const indented = (text: string, depth: number): string => text.replace(/^(?=.)/gm, ' '.repeat(depth));

function found(text: string, code: string): readonly Problem[] {
  return readConfigs(text)
    .flatMap(({ problems }) => problems)
    .filter((problem) => problem.code === code);
}

describe('a section beside the config', () => {
  const API = 'api: { type: completion, streaming: true }\n';
  it.each([
    ['Helm values', `config:\n${indented(CONFIG, 2)}${API}`, 'api', 4],
    ['two levels up', `job:\n  inner:\n    config:\n${indented(CONFIG, 6)}${API}`, 'api', 6],
    ['one level up', `bench:\n  config:\n${indented(CONFIG, 4)}  ${API}`, 'bench.api', 5],
    ['a scenario', `workload:\n  one:\n${indented(CONFIG, 4)}  ${API}`, 'workload.api', 5],
    [
      'a ConfigMap',
      `apiVersion: v1\nkind: ConfigMap\ndata:\n  config.yml: |\n${indented(CONFIG, 4)}  ${API}`,
      'data.api',
      7,
    ],
    [
      'a later document',
      `a: 1\n---\nconfig:\n${indented(CONFIG, 2)}tokenizer: { pretrained_model_name_or_path: m }\n`,
      'tokenizer',
      6,
    ],
  ])('is said in %s', (_name, text, name, line) => {
    const [problem, ...more] = found(text, 'CFG025');
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ severity: 'warning', range: { startLine: line } });
    expect(problem!.message).toContain(`'${name}' stands beside the config`);
  });

  it.each([
    ['a chart has sections of that name with other keys', `config:\n${indented(CONFIG, 2)}server: { replicas: 2 }\n`],
    ['the config has it', `config:\n${indented(CONFIG + API, 2)}${API}`],
    ['the config is the file', CONFIG + API],
    ['empty', `config:\n${indented(CONFIG, 2)}api: {}\n`],
  ])('is not: %s', (_name, text) => {
    expect(found(text, 'CFG025')).toEqual([]);
  });
});

interface Parts {
  readonly kind?: string;
  readonly limit?: string;
  readonly restart?: string;
  readonly memory?: string;
  readonly volume?: string;
  readonly config?: string;
  readonly container?: string;
  readonly args?: string;
}

const GOOD: Parts = { limit: 'backoffLimit: 0', volume: 'persistentVolumeClaim: { claimName: c }' };

function job(parts: Parts): string {
  const { kind = 'Job', restart = 'Never', memory = '2Gi', config = CONFIG, container = '', args = '' } = parts;
  const pod = `${restart === '' ? '' : `restartPolicy: ${restart}\n`}containers:
  - name: bench
    image: quay.io/inference-perf/inference-perf:v0.7.0
    args: [--config_file, /c/config.yml${args}]
    resources: { limits: { memory: ${memory} } }
    volumeMounts: [{ name: c, mountPath: /c }, { name: out, mountPath: /results }]
${container}volumes:
  - { name: c, configMap: { name: c } }
  - { name: out, ${parts.volume ?? 'emptyDir: {}'} }
`;
  const spec = `${parts.limit === undefined ? '' : `${parts.limit}\n`}template:\n  spec:\n${indented(pod, 4)}`;
  const body =
    kind === 'Pod'
      ? `spec:\n${indented(pod, 2)}`
      : kind === 'CronJob'
        ? `spec:\n  jobTemplate:\n    spec:\n${indented(spec, 6)}`
        : `spec:\n${indented(spec, 2)}`;
  return `apiVersion: v1
kind: ConfigMap
metadata: { name: c }
data:
  config.yml: |
${indented(config, 4)}---
apiVersion: batch/v1
kind: ${kind}
metadata: { name: j }
${body}`;
}

describe('a Job in the file of its config', () => {
  const said = (text: string): readonly string[] => found(text, 'CFG026').map(({ message }) => message);
  it('that runs once, keeps its report and has room is no news', () => {
    expect(said(job(GOOD))).toEqual([]);
  });

  it.each([
    [{ ...GOOD, limit: 'backoffLimit: 4' }, /^Job j: when it fails it is run again, up to 4 times:/, 'backoffLimit'],
    [{ ...GOOD, limit: 'backoffLimit: 4', kind: 'CronJob' }, /^CronJob j: when it fails/, 'backoffLimit'],
    [{ ...GOOD, restart: 'OnFailure' }, /^Job j: .*before the Job is given up/, 'restartPolicy'],
    [{ ...GOOD, kind: 'Pod', restart: 'Always' }, /^Pod j: when it ends, well or not/, 'restartPolicy'],
    [{ ...GOOD, kind: 'Pod', restart: '' }, /^Pod j: when it ends, well or not/, 'spec'],
    [{ ...GOOD, kind: 'Pod', restart: 'OnFailure' }, /^Pod j: when it fails it is started again/, 'restartPolicy'],
    [{ ...GOOD, kind: 'Deployment', restart: '' }, /^Deployment j: when it ends, well or not/, 'spec'],
    [{ volume: GOOD.volume!, restart: 'OnFailure' }, /up to 6 times \(the default/, 'restartPolicy'],
    [{ ...GOOD, memory: '512Mi' }, /^Job j: 512Mi of memory is little:.* 2 workers /, 'memory'],
    [{ ...GOOD, memory: '500M', kind: 'Pod' }, /^Pod j: 500M of memory is little/, 'memory'],
    [{ limit: GOOD.limit! }, /no lasting volume holds, and to no bucket/, 'volumeMounts'],
    [
      { ...GOOD, config: `${CONFIG}storage: { local_storage: { path: /tmp/r } }\n` },
      /the report goes to '\/tmp\/r' in the container, which no lasting volume/,
      'volumeMounts',
    ],
  ])('%o', (parts, words, key) => {
    const text = job(parts);
    const [problem, ...more] = found(text, 'CFG026');
    expect(more).toEqual([]);
    expect(problem!.message).toMatch(words);
    const { startLine, startColumn } = problem!.range!;
    expect(text.split('\n')[startLine]!.slice(startColumn)).toMatch(new RegExp(`^${key}\\b`));
  });

  it('of a List is found, with its place', () => {
    const pod = job({ ...GOOD, limit: 'backoffLimit: 2' }).split('---\n')[1]!;
    const list = `apiVersion: v1\nkind: List\nitems:\n  -${indented(pod, 4).slice(3)}`;
    const text = `${job(GOOD).split('---\n')[0]!}---\n${list}`;
    const [problem] = found(text, 'CFG026');
    expect(text.split('\n')[problem!.range!.startLine]).toMatch(/^ +backoffLimit: 2$/);
  });

  it.each([
    ['a bucket', { limit: GOOD.limit!, config: `${CONFIG}storage: { google_cloud_storage: { bucket_name: b } }\n` }],
    ['nothing is to be kept', { limit: GOOD.limit!, config: `${CONFIG}storage: null\n` }],
    ['below the mount', { ...GOOD, config: `${CONFIG}storage: { local_storage: { path: /results/a } }\n` }],
    ['a script carries it away', { limit: GOOD.limit!, args: ', "&& gsutil cp -r . gs://b"' }],
    [
      'a second container reads it',
      {
        limit: GOOD.limit!,
        container: '  - { name: up, image: uploader, volumeMounts: [{ name: out, mountPath: /out }] }\n',
      },
    ],
    ['a script that stays', { ...GOOD, kind: 'Pod', restart: 'Always', args: ', "; sleep infinity"' }],
    ['a policy of a template', { ...GOOD, kind: 'Pod', restart: '"{{ .Values.policy }}"' }],
    ['limits of a template', { ...GOOD, memory: '"{{ .Values.memory }}"' }],
    ['times of a template', { ...GOOD, limit: 'backoffLimit: "{{ .Values.retries }}"' }],
  ])('is no news: %s', (_name, parts) => {
    expect(said(job(parts))).toEqual([]);
  });

  it('that runs something else is not judged', () => {
    const other = job({})
      .replace(/image: .*/, 'image: busybox')
      .replace('--config_file', '--file');
    expect(said(other)).toEqual([]);
  });
});
