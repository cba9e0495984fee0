// The engine as a child process: lines, events, stopping, ends. Against a stand-in that speaks as the engine does.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/events';
import { parseEvent, startEngine } from '../../../src/extension/engine';
import { lineSplitter } from '../../../src/extension/lines';

const STAND_IN = `
process.stdout.write('{"type":"counting","done":1,"to');
setTimeout(() => process.stdout.write('tal":2}\\nplain words\\n'), 20);
process.stderr.write(JSON.stringify({ args: process.argv.slice(2), key: process.env.ISOPERF_API_KEY ?? null, asNode: process.env.ELECTRON_RUN_AS_NODE, options: process.env.NODE_OPTIONS ?? null }) + '\\n');
if (process.argv[2] === 'crash') setTimeout(() => process.exit(7), 60);
process.stdin.on('data', (text) => { process.stdout.write('heard ' + text); if (String(text).includes('"now":true')) process.exit(0); });
`;

let folder = '';
let cli = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-engine-'));
  cli = path.join(folder, 'cli.cjs');
  writeFileSync(cli, STAND_IN);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function start(args: readonly string[], env: Record<string, string> = {}) {
  const events: RunEvent[] = [];
  const texts: string[] = [];
  const engine = startEngine({
    cli,
    args,
    cwd: folder,
    env,
    onEvent: (event) => events.push(event),
    onText: (line) => texts.push(line),
  });
  return { engine, events, texts };
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 25));
  expect(holds()).toBe(true);
}

describe('startEngine', () => {
  it('reads events over split chunks, hands on other lines, and stops when asked', async () => {
    const { engine, events, texts } = start(['run'], { ISOPERF_API_KEY: 'secret' });
    await until(() => texts.includes('plain words'));
    expect(events).toEqual([{ type: 'counting', done: 1, total: 2 }]);
    engine.stop(false);
    await until(() => texts.includes('heard {"type":"stop","now":false}'));
    engine.stop(true);
    expect(await engine.ended).toEqual({ code: 0 });
  });

  it('gives the key by the environment only, and no debugger of the host', async () => {
    const before = process.env['NODE_OPTIONS'];
    process.env['NODE_OPTIONS'] = '--no-warnings';
    const { engine, texts } = start(['crash'], { ISOPERF_API_KEY: 'secret' });
    if (before === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = before;
    expect(await engine.ended).toEqual({ code: 7 });
    const said = JSON.parse(texts.find((line) => line.startsWith('{"args"'))!) as Record<string, unknown>;
    expect(said).toEqual({ args: ['crash'], key: 'secret', asNode: '1', options: null });
  });

  it('says when it cannot be started', async () => {
    const engine = startEngine({
      cli: path.join(folder, 'nowhere.cjs'),
      args: [],
      cwd: folder,
      env: {},
      onEvent: () => undefined,
      onText: () => undefined,
    });
    expect((await engine.ended).code).toBe(1);
  });
});

describe('lines', () => {
  it('come out the same however the bytes are cut', () => {
    const line = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\r\n]/.test(text));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.array(fc.nat({ max: 200 })), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const got: string[] = [];
        const splitter = lineSplitter((text) => got.push(text));
        const places = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
        let from = 0;
        for (const to of [...places, bytes.length]) {
          splitter.push(bytes.subarray(from, to));
          from = to;
        }
        splitter.end();
        expect(got).toEqual(lines);
      }),
    );
  });

  it('that are no events are none', () => {
    expect([parseEvent('{"a":1}'), parseEvent('{'), parseEvent('null'), parseEvent('[1]')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
