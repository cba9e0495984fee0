// `isoperf completion`, and what a mistyped verb or option is answered.
import { spawnSync } from 'node:child_process';
import os from 'node:os';
import { describe, expect, it } from 'vitest';
import type { CliIo } from '../../../src/cli/command';
import { completionOf, optionsIn } from '../../../src/cli/completion';
import { main } from '../../../src/cli/main';
import { LISTED } from '../../../src/cli/verbs';

async function called(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const io: CliIo = {
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: false,
    columns: 100,
    env: {},
    cwd: os.tmpdir(),
  };
  return { code: await main(args, io), out, err };
}

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('%s: every verb, and options that exist', async (shell) => {
    const { code, out } = await called('completion', shell);
    expect(code).toBe(0);
    for (const { name } of LISTED) expect(out).toContain(name);
    for (const option of ['fail-on', 'max-failures', 'freeze']) expect(out).toContain(option);
  });

  it('offers no option that its verb refuses', async () => {
    for (const { name, load } of LISTED.filter((verb) => verb.name !== 'completion')) {
      const { help } = await load();
      for (const option of optionsIn(help).filter((word) => word !== '--help')) {
        const { err } = await called(name, `${option}x-no-such`, option);
        expect(err).not.toContain(`there is no option ${option}.`);
        expect(err).toContain(`there is no option ${option}x-no-such`);
      }
    }
  });

  it.skipIf(spawnSync('bash', ['-c', 'type complete compgen']).status !== 0)(
    'bash takes the script, and completes a verb and an option with it',
    async () => {
      const { out } = await called('completion', 'bash');
      const asked = (words: string, at: number): string[] => {
        const ask = `${out}\nCOMP_WORDS=(${words}); COMP_CWORD=${at}; _isoperf; printf '%s\\n' "\${COMPREPLY[@]}"`;
        return spawnSync('bash', ['--norc', '-c', ask], { encoding: 'utf8' }).stdout.trim().split('\n');
      };
      expect(asked('isoperf comp', 1)).toEqual(['compare', 'completion']);
      expect(asked('isoperf compare --fail', 2)).toEqual(['--fail-on']);
    },
  );

  it('another shell is refused with those there are', async () => {
    await expect(completionOf(LISTED).run(['tcsh'], { out: () => undefined } as unknown as CliIo)).rejects.toThrow(
      /bash, zsh, fish/,
    );
  });
});

describe('did you mean', () => {
  it('a verb, an option; and nothing where nothing is near', async () => {
    expect((await called('compar')).err).toMatch(/no verb 'compar'\. Did you mean compare\? See isoperf --help/);
    expect((await called('benchmarkit')).err).toMatch(/Verbs: validate, plan, run/);
    expect((await called('compare', '--intnded', 'server', 'a', 'b')).err).toMatch(
      /no option --intnded\. Did you mean --intended\? See isoperf compare --help/,
    );
    expect((await called('plan', '--zzz')).err).toMatch(/no option --zzz\. See isoperf plan --help/);
    expect((await called('run', '--constructor')).err).toMatch(/no option --constructor\. See/);
  });

  it('every verb has examples in its help', async () => {
    for (const { name, load } of LISTED) {
      const { help } = await load();
      expect([name, /^Examples?:\n {2}\S*isoperf /m.test(help)]).toEqual([name, true]);
    }
  });
});
