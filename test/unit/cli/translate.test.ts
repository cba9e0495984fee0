// `isoperf translate` as a command line: what it writes, its exit codes, and words that are wrong.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { UsageError, type CliIo } from '../../../src/cli/command';
import { translateCommand } from '../../../src/cli/translate';

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-translate-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function translate(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const io: CliIo = {
    out: (text) => (said.out += text),
    err: (text) => (said.err += text),
    isTerminal: false,
    columns: 100,
    env: {},
    cwd: folder,
  };
  const code = await translateCommand.run(args, io);
  return { ...said, code };
}

const COMMAND = 'vllm bench serve --model m --request-rate 8 --num-prompts 80';

describe('isoperf translate', () => {
  it('takes a command as words or as one text, and says with its exit code that the meaning changed', async () => {
    const words = await translate('--from', 'vllm@0.32', '--', ...COMMAND.split(' '));
    const text = await translate('--from', 'vllm@0.32', '--', COMMAND);
    expect(words).toEqual(text);
    expect(words.code).toBe(3);
    expect(words.out).toContain('load:');
  });

  it('writes a file, and from it the command again', async () => {
    const made = await translate('--from', 'vllm@0.33', '--out', 'config.yaml', '--', COMMAND);
    expect(made.out).toBe('');
    expect(readFileSync(path.join(folder, 'config.yaml'), 'utf8')).toContain('# Translated from vllm bench serve 0.33');
    const back = await translate('config.yaml', '--to', 'vllm@0.33');
    expect(back.out).toMatch(/^vllm bench serve --base-url .*--num-prompts 80 --request-rate 8 .*\n$/);
    expect(back.err).toMatch(/^lossless server\.base_url/m);
  });

  it('reads a command over several lines from standard input', () => {
    const script = path.join(folder, 'bench.sh');
    writeFileSync(script, `$ OPENAI_API_KEY=sk-12345678 vllm bench serve \\\n  --model m \\\n  --request-rate 8\n`);
    const cli = path.resolve(import.meta.dirname, '../../../dist/cli.js');
    let out = '';
    try {
      execFileSync(process.execPath, [cli, 'translate', '--from', 'vllm@0.32'], {
        input: readFileSync(script),
        encoding: 'utf8',
        stdio: ['pipe', 'pipe', 'pipe'],
      });
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: string };
      expect(status).toBe(3);
      out = stdout;
    }
    expect(out).toContain('rate: 8');
    expect(out).not.toContain('sk-12345678');
  });

  it('says every reason why it is refused, and ends with 1', async () => {
    const { code, out, err } = await translate(
      '--from',
      'vllm@0.32',
      '--',
      ...COMMAND.split(' '),
      '--insecure',
      '--top-k',
      '5',
    );
    expect([code, out]).toEqual([1, '']);
    expect(err.split('\n').filter((line) => line.includes('refused'))).toHaveLength(2);
    const dropped = await translate(
      '--from',
      'vllm@0.32',
      '--drop',
      'insecure',
      '--drop',
      'top-k',
      '--',
      ...COMMAND.split(' '),
      '--insecure',
      '--top-k',
      '5',
    );
    expect(dropped.code).toBe(3);
  });

  it.each([
    [['--from', 'vllm', '--', 'vllm'], /which version/],
    [['--from', 'vllm@0.1', '--', 'vllm'], /not known/],
    [['--', ...COMMAND.split(' ')], /--from vllm@0\.32 or vllm@0\.33/],
    [['--from', 'vllm@0.32', '--to', 'vllm@0.32', 'x'], /not both/],
    [['--to', 'vllm@0.32'], /one config\.yaml/],
    [['--from', 'vllm@0.32', '--', "vllm 'open"], /never closed/],
    [['vllm', '--from', 'vllm@0.32'], /behind --/],
  ])('%j is a wrong command line', async (args, words) => {
    await expect(translate(...args)).rejects.toThrow(UsageError);
    await expect(translate(...args)).rejects.toThrow(words);
  });

  it('a config that is none, or not there, is unusable', async () => {
    writeFileSync(path.join(folder, 'broken.yaml'), 'load: { type: nonsense }\n');
    expect((await translate('broken.yaml', '--to', 'vllm@0.32')).code).toBe(2);
    expect((await translate('none.yaml', '--to', 'vllm@0.32')).code).toBe(2);
  });
});

describe('docs/translate.md', () => {
  it('is what the tables say', { timeout: 60_000 }, () => {
    const root = path.resolve(import.meta.dirname, '../../..');
    execFileSync(process.execPath, ['scripts/generate-translations.mjs', '--check'], { cwd: root, stdio: 'pipe' });
  });
});
