// Relatives of a ConfigMap and of a template: texts whose places cannot be followed, Secrets, patches, odd templates.
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config/load';
import { readings } from '../../../src/language/place';

const indent = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);

describe('a config in a text whose places cannot be followed', () => {
  const broken = { ...{ load: { stages: [{ rate: 1, duration: 2 }], num_wrkers: 2 }, data: { type: 'mock' } } };
  const json = JSON.stringify(broken);
  it.each([
    ['a ConfigMap in JSON', JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data: { 'c.json': json } }), 0],
    [
      'a folded text',
      `apiVersion: v1\nkind: ConfigMap\ndata:\n  c.json: >-\n    ${json.replace(/,/g, ',\n    ')}\n`,
      3,
    ],
    [
      'quotes with line breaks',
      `apiVersion: v1\nkind: Secret\nstringData:\n  c: ${JSON.stringify(`load:\n  stages: [{ rate: 1, duration: 2 }]\n  num_wrkers: 2\ndata: { type: mock }\n`)}\n`,
      3,
    ],
  ])('%s is judged, and every finding stands at the text', (_name, text, line) => {
    const { problems, region } = readConfig(text);
    const found = problems.find(({ code }) => code === 'CFG001');
    expect(found?.remedy).toBe("Did you mean 'num_workers'?");
    expect(found?.range?.startLine).toBe(line);
    expect(region?.isOpaque).toBe(true);
    expect(readings(text)).toEqual([]);
  });
});

describe('relatives of a ConfigMap', () => {
  const config = 'load: { type: constant, stages: [{ rate: 1, duration: 5 }], num_wrkers: 2 }\ndata: { type: mock }\n';
  const base64 = Buffer.from(config).toString('base64');
  const map = `apiVersion: v1\nkind: ConfigMap\ndata:\n  c.yml: |\n${indent(config, '    ')}`;
  it.each([
    ['binaryData', `apiVersion: v1\nkind: ConfigMap\nbinaryData:\n  c.yml: ${base64}\n`, 3, 'binaryData[c.yml]'],
    ['a Secret', `apiVersion: v1\nkind: Secret\ndata:\n  c.yml: ${base64}\n`, 3, 'data[c.yml]'],
    [
      'a Secret in a List',
      `apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: Secret\n    data: { c: ${base64} }\n`,
      5,
      'items[0].data[c]',
    ],
    ['a JSON patch', `- op: replace\n  path: /data/c\n  value: |\n${indent(config, '    ')}`, 3, '[0].value'],
    [
      'a patch of kustomize',
      `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\npatches:\n  - patch: |-\n${indent(map, '      ')}`,
      8,
      'patches[0].patch.data[c.yml]',
    ],
  ])('%s is judged at its place', (_name, text, line, name) => {
    const reading = readConfig(text);
    expect(reading.region?.name).toBe(name);
    const found = reading.problems.find(({ code }) => code === 'CFG001');
    expect(found?.remedy).toBe("Did you mean 'num_workers'?");
    expect(found?.range?.startLine).toBe(line);
  });

  it('base64 that is no config is none', () => {
    const text = `apiVersion: v1\nkind: Secret\ndata:\n  c: ${Buffer.from('just a long enough password').toString('base64')}\n`;
    expect(readConfig(text).problems.map(({ code }) => code)).toEqual(['CFG010']);
  });
});

describe('templates', () => {
  const rest = 'load: { type: constant, stages: [{ rate: 1, duration: 5 }] }\nserver: { base_url: "http://h:1" }\n';
  const errors = (text: string): readonly string[] =>
    readConfig(text).problems.flatMap(({ code, severity }) => (severity === 'error' ? [code] : []));
  it.each([
    ['a comment of Helm over lines', `{{/* about\nit: all */}}\n${rest}data: { type: mock }\n`],
    ['a comment of Jinja over lines', `{# about\nit: all #}\n${rest}data: { type: mock }\n`],
    ['an action over lines', `{{- include "x"\n  (dict "a" .b) -}}\n${rest}data: { type: mock }\n`],
    ['a definition', `{{- define "d" }}\ndata: { type: mock }\n{{- end }}\n${rest}data: { type: mock }\n`],
    [
      'with, range and else if',
      `${rest}data:\n  {{- with .V }}\n  type: {{ . }}\n  {{- end }}\n{{- if a }}\napi: { type: chat }\n{{- else if b }}\napi: { type: completion }\n{{- else }}\napi: {}\n{{- end }}\n`,
    ],
  ])('%s is passed over', (_name, text) => {
    expect(errors(text)).toEqual([]);
  });

  it('an unknown key is one, whatever will stand there', () => {
    const [found] = readConfig(
      `${rest.replace('base_url', 'base_url: x, model_nme')}data: { type: mock }\n`.replace(
        '"http://h:1"',
        '"{{ .Values.m }}"',
      ),
    ).problems.filter(({ code }) => code === 'CFG001');
    expect(found?.remedy).toBe("Did you mean 'model_name'?");
  });
});
