// `--pin-sweep`: a run.json or its folder; anything else is a wrong command line.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/command';
import { readPinnedSweep } from '../../../src/cli/pin-sweep';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-pin-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it.each([
  ['run.json', 'run.json'],
  ['its folder', '.'],
])('takes the rates of %s', (_, name) => {
  writeFileSync(path.join(folder, 'run.json'), JSON.stringify({ sweep: { ratesRps: [1, 2.5] } }));
  expect(readPinnedSweep(name, folder)).toEqual({ ratesRps: [1, 2.5], source: name });
});

it.each([
  ['no file', undefined],
  ['no JSON', '{'],
  ['a run without a sweep', '{}'],
  ['rates that are none', '{"sweep":{"ratesRps":[0]}}'],
])('refuses %s', (_, text) => {
  if (text !== undefined) writeFileSync(path.join(folder, 'run.json'), text);
  expect(() => readPinnedSweep('run.json', folder)).toThrow(UsageError);
});
