// Which files the extension's lists call results: every tool's, by what is in them and not by their names.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recogniseResult } from '../../../src/cli/recognise';
import { looksLikeConfig } from '../../../src/config/find/detect';
import { REPORT_01, REPORT_02, TOOL_FILES } from '../readers/tool-files';

const home = mkdtempSync(path.join(os.tmpdir(), 'isoperf-recognise-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function recognise(name: string, text: string) {
  const disk = path.join(home, name);
  writeFileSync(disk, text);
  const uri = { scheme: 'file', authority: '', path: disk, query: '' };
  return recogniseResult({ uri, name, disk }, () => Promise.reject(new Error('on a disk')));
}

describe('a file of a workspace', () => {
  it.each(TOOL_FILES.filter(([, files]) => Object.keys(files).length === 1))(
    'of %s is recognised under any name',
    async (_, files) => {
      const [[name, text]] = Object.entries(files) as [[string, string]];
      const known = await recognise(`anything${path.extname(name)}`, text);
      expect(known?.tool).toMatch(/\w/);
      expect(known?.files).toContain(`anything${path.extname(name)}`);
    },
  );

  it.each([
    ['package.json', '{"name": "x", "description": "throughput of a benchmark", "scripts": {}}'],
    ['settings.json', '{"editor.fontSize": 12}'],
    ['broken.json', '{"ttft": '],
    ['empty.json', ''],
    ['notes.yaml', 'latency: high\n'],
  ])('that is none is not: %s', async (name, text) => {
    expect(await recognise(name, text)).toBeUndefined();
  });
});

/** Enough of YAML for a report: nested mappings and JSON below. */
function yaml(value: object): string {
  return Object.entries(value)
    .map(([key, inner]) => `${key}:${typeof inner === 'string' ? ` '${inner}'` : block(inner as object, '  ')}`)
    .join('\n');
}

function block(value: object, indent: string): string {
  return Object.entries(value)
    .map(([key, inner]) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? `\n${indent}${key}:${block(inner as object, `${indent}  `)}`
        : `\n${indent}${key}: ${JSON.stringify(inner)}`,
    )
    .join('');
}

describe('a Benchmark Report', () => {
  it.each([
    ['0.1', REPORT_01],
    ['0.2', REPORT_02],
  ])('%s holds the config it was made with, and is no config', (_, report) => {
    for (const text of [yaml(report), JSON.stringify(report), JSON.stringify(report, null, 2)]) {
      expect(looksLikeConfig(text)).toBe(false);
    }
    const { load, server } = REPORT_01.scenario.load.args;
    expect(looksLikeConfig(yaml({ load, server }))).toBe(true);
  });
});
