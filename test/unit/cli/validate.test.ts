// `isoperf validate` and `isoperf schema`, as called: what is printed where, and the exit code.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { CliIo, Command } from '../../../src/cli/command';
import { schemaCommand } from '../../../src/cli/schema';
import { validateCommand } from '../../../src/cli/validate';
import { render } from '../../../src/cli/validate-formats';

const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-validate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CONFIG = 'load:\n  type: poisson\n  stages:\n    - { rate: 5, duration: 60 }\nserver:\n  base_url: http://h:1\n';

async function call(command: Command, ...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const io: CliIo = {
    out: (text) => (out += text),
    err: (text) => (err += text),
    isTerminal: false,
    columns: 80,
    env: {},
    cwd: folder,
  };
  const code = await command.run(args, io);
  return { code, out, err };
}

const validate = (...args: string[]) => call(validateCommand, ...args);

function file(name: string, text: string): string {
  mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
  writeFileSync(path.join(folder, name), text);
  return name;
}

describe('isoperf validate', () => {
  it('0 with warnings, which are printed in the order of the file', async () => {
    const { code, out } = await validate(file('good.yaml', CONFIG));
    expect(code).toBe(0);
    expect(out).toMatch(/good\.yaml:3:3: warning CMP008 /);
    expect(out).toMatch(/good\.yaml: 0 errors, \d+ warnings?, \d+ information\n$/);
    const lines = [...out.matchAll(/good\.yaml:(\d+):/g)].map((match) => Number(match[1]));
    expect(lines).toEqual([...lines].sort((a, b) => a - b));
  });
  it('1 with an error at line and column', async () => {
    const { code, out } = await validate(file('bad.yaml', CONFIG.replace('rate', 'raet')));
    expect(code).toBe(1);
    expect(out).toMatch(/^bad\.yaml:4:9: error CFG001 .*Remedy: Did you mean 'rate'\?$/m);
  });
  it('--quiet shows errors only', async () => {
    expect((await validate('good.yaml', '--quiet')).out).toMatch(
      /^good\.yaml: 0 errors, [1-9]\d* warnings?, \d+ information\n$/,
    );
    expect((await validate('bad.yaml', '--quiet')).out).toMatch(/CFG001/);
  });
  it('--set mends or breaks', async () => {
    file('open.yaml', CONFIG.replace('http://h:1', '${URL}'));
    // A template is not a mistake: it is listed as to be filled.
    const open = await validate('open.yaml');
    expect(open.code).toBe(0);
    expect(open.out).toMatch(/open\.yaml:6:13: information CFG009 .*\$\{URL\}/);
    expect((await validate('open.yaml', '--set', 'server.base_url=http://h:2')).code).toBe(0);
    const broken = await validate('good.yaml', '--set', 'load.stages[0].rate=fast');
    expect(broken.code).toBe(1);
    expect(broken.out).toContain('(From --set load.stages[0].rate.)');
  });
  it('--json is one object', async () => {
    const { code, out } = await validate('--json', 'bad.yaml', 'good.yaml');
    expect(code).toBe(1);
    const { files } = JSON.parse(out) as { files: { file: string; problems: { code: string; range?: object }[] }[] };
    expect(files.map((entry) => entry.file)).toEqual(['bad.yaml', 'good.yaml']);
    expect(files[0]!.problems.find((problem) => problem.code === 'CFG001')?.range).toEqual({
      // From 1, as in the other formats.
      startLine: 4,
      startColumn: 9,
      endLine: 4,
      endColumn: 13,
    });
  });
  it('related places count from 1, too', async () => {
    const name = file('cap.yaml', CONFIG.replace('load:', 'load:\n  num_workers: 1\n  worker_max_concurrency: 1'));
    const { files } = JSON.parse((await validate('--json', name)).out) as {
      files: { problems: { code: string; related?: { path: string[]; range: object }[] }[] }[];
    };
    const related = files[0]!.problems.flatMap((problem) => problem.related ?? []);
    expect(related.find((place) => place.path.join('.') === 'load.num_workers')?.range).toMatchObject({
      startLine: 2,
      startColumn: 16,
    });
  });
  it('what turns the direction of writing or steers a terminal is shown as its escape, in every format', async () => {
    const name = file(
      'bidi.yaml',
      `${CONFIG.replace('http://h:1', 'x\u202Egro.live\u2066y')}"a\u202Eb\u2069": 1\n"c\\e[31m": 2\n`,
    );
    for (const format of ['text', 'json', 'sarif', 'github']) {
      const { out } = await validate('--format', format, name);
      expect(out, format).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
      expect(out, format).not.toContain('\u001b');
      if (format === 'text') expect(out).toContain("'a\\u202eb\\u2069'");
      if (format === 'text') expect(out).toContain("'c\\u001b[31m'");
    }
  });
  it.skipIf(process.platform === 'win32')(
    'a device is not read, and a file beyond the limit is not either',
    async () => {
      const device = await validate('/dev/zero');
      expect([device.code, device.err]).toEqual([2, expect.stringContaining('no regular file')]);
      const large = await validate(file('large.yaml', `load: {}\n${'#'.repeat(8_000_001)}`));
      expect([large.code, large.err]).toEqual([2, expect.stringContaining('more than 8 MB')]);
    },
  );
  it('a second mistake costs no remedy', async () => {
    const both = await validate(
      file('both.yaml', 'server: {base_url: "http://h:1"}\nload: {type: bursty, num_wokers: 4}\n'),
    );
    expect(both.out).toContain("Did you mean 'num_workers'?");
  });
  it('--loader answers as inference-perf does, and nothing else', async () => {
    expect(await validate('--loader', file('nothing.yaml', ''))).toMatchObject({
      code: 0,
      out: 'nothing.yaml: accepted by inference-perf v0.7.0\n',
    });
    expect(await validate('--loader', file('inf.yaml', CONFIG.replace('rate: 5', 'rate: .inf')))).toMatchObject({
      code: 0,
    });
    expect(await validate('--loader', 'open.yaml')).toMatchObject({ code: 0 });
    expect(await validate('--loader', file('dup.yaml', `${CONFIG}load: {}\n`))).toMatchObject({ code: 0 });
    const rejected = await validate('--loader', 'bad.yaml');
    expect(rejected.code).toBe(1);
    expect(rejected.out).toMatch(/bad\.yaml: rejected by inference-perf v0\.7\.0\n$/);
    await expect(validate('--loader', 'bad.yaml', '--set', 'a=1')).rejects.toThrow(/as it stands/);
  });
  it('--loader --target answers as a release does', async () => {
    const old = await validate('--loader', '--target', 'v0.6.1', 'bad.yaml');
    expect(old.out).toMatch(/raet.*\nbad\.yaml: rejected by inference-perf v0\.6\.1\n$/);
    const ignored = file('ignored.yaml', CONFIG.replace('server:', 'data:\n  tpye: random\nserver:'));
    expect((await validate('--loader', ignored)).code).toBe(1);
    const told = await validate('--loader', '--target', '0.6.1', ignored);
    expect(told).toMatchObject({ code: 0 });
    expect(told.out).toMatch(
      /warning CFG016 .*'tpye'.*type "mock".*\nignored\.yaml: accepted by inference-perf v0\.6\.1\n$/,
    );
  });
  it('--loader takes bytes that are no UTF-8 for what they are', async () => {
    writeFileSync(path.join(folder, 'latin.yaml'), Buffer.from([0x61, 0x3a, 0x20, 0xe9, 0x0a]));
    expect(await validate('--loader', 'latin.yaml')).toMatchObject({ code: 1 });
    expect((await validate('latin.yaml')).out).toContain('YML013');
  });
  it('--target judges as that release, and says so', async () => {
    const { code, out } = await validate('--target', 'v0.6.1', 'ignored.yaml');
    expect(code).toBe(0);
    expect(out).toMatch(/ignored\.yaml:6:3: warning CFG016/);
    expect(out).toMatch(/\(judged for inference-perf v0\.6\.1\)\n$/);
    await expect(validate('--target', 'newest', 'good.yaml')).rejects.toThrow(/newest is no inference-perf version/);
    await expect(validate('--target', 'v9.9.9', 'good.yaml')).rejects.toThrow(
      /v9\.9\.9 is no .* IsoPerf knows; known: v0\.2/,
    );
    expect((await validate('--target', 'v0.6.2', 'ignored.yaml')).err).toContain('v0.6.2 is judged as v0.6.1');
    expect((await validate('--target', 'latest', 'good.yaml')).err).toBe('');
  });
  it('a SARIF rule links to the page that explains it', () => {
    const problems = [
      { code: 'CFG001', severity: 'error', path: [], message: 'm' },
      { code: 'CMP008', severity: 'warning', path: [], message: 'm' },
    ] as const;
    const root = path.resolve(import.meta.dirname, '../../..');
    const log = JSON.parse(
      render('sarif', [{ file: 'a', problems }], { version: '1', errorsOnly: false, docsRoot: root }),
    ) as {
      runs: { tool: { driver: { rules: { helpUri: string }[] } } }[];
    };
    const uris = log.runs[0]!.tool.driver.rules.map(({ helpUri }) => new URL(helpUri));
    expect(uris.map(({ hash }) => hash)).toEqual(['#cfg001', '#cmp008']);
    for (const uri of uris) expect(readFileSync(uri, 'utf8').toLowerCase()).toContain(`## ${uri.hash.slice(1)}`);
  });
  it('--format sarif is a log that code scanning takes', async () => {
    const { code, out } = await validate('--format', 'sarif', 'bad.yaml', 'good.yaml');
    expect(code).toBe(1);
    const log = JSON.parse(out) as {
      version: string;
      runs: {
        tool: { driver: { rules: { id: string; help: { text: string } }[] } };
        results: {
          ruleId: string;
          ruleIndex: number;
          level: string;
          message: { text: string };
          locations: unknown[];
          fixes?: unknown[];
        }[];
      }[];
    };
    expect(log.version).toBe('2.1.0');
    const { tool, results } = log.runs[0]!;
    const unknown = results.find((result) => result.ruleId === 'CFG001')!;
    expect(unknown).toMatchObject({
      level: 'error',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'bad.yaml' },
            region: { startLine: 4, startColumn: 9, endLine: 4, endColumn: 13 },
          },
        },
      ],
    });
    // The same fixes as in the editor; one that asks for words is none for a machine.
    expect(unknown.fixes).toContainEqual({
      description: { text: "Change to 'rate'." },
      artifactChanges: [
        {
          artifactLocation: { uri: 'bad.yaml' },
          replacements: [
            {
              deletedRegion: { startLine: 4, startColumn: 9, endLine: 4, endColumn: 13 },
              insertedContent: { text: 'rate' },
            },
          ],
        },
      ],
    });
    for (const { fixes = [] } of results) expect(JSON.stringify(fixes)).not.toContain('${');
    for (const result of results) {
      expect(tool.driver.rules[result.ruleIndex]!.id).toBe(result.ruleId);
      expect(tool.driver.rules[result.ruleIndex]!.help.text).toMatch(/docs\/(?:findings|pitfalls)\.md#/);
      expect(['error', 'warning', 'note']).toContain(result.level);
      expect(result.message.text.length).toBeGreaterThan(10);
    }
  });
  it('--format github is one workflow command a finding, its separators escaped', async () => {
    const { out } = await validate('--format', 'github', file('od,d 50%.yaml', CONFIG.replace('rate', 'raet')));
    const lines = out.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.every((each) => /^::(?:error|warning|notice) file=/.test(each))).toBe(true);
    expect(lines.filter((each) => each.includes('title=CFG001'))).toHaveLength(1);
    expect(lines.find((each) => each.includes('title=CFG001'))).toMatch(
      /^::error file=od%2Cd 50%25\.yaml,line=4,endLine=4,col=9,endColumn=13,title=CFG001::/,
    );
    await expect(validate('--format', 'xml', 'good.yaml')).rejects.toThrow(/none of text, json, sarif, github/);
  });
  it('2 when there is nothing to validate', async () => {
    for (const [name, words] of [
      ['nowhere.yaml', /nowhere\.yaml does not exist/],
      [file('empty.yaml', '\n'), /empty\.yaml is empty/],
      ['', /'' is not a file name/],
      [
        path.dirname(file('none/values.yaml', 'a: 1\n')),
        /none holds no inference-perf config \(1 YAML or JSON files looked at\)/,
      ],
    ] as const) {
      const { code, err } = await validate(name);
      expect(code, name).toBe(2);
      expect(err).toMatch(words);
    }
    await expect(validate()).rejects.toThrow(/no file/);
  });
  it('2 also when only one of several is missing, and the others are still judged', async () => {
    const { code, out } = await validate('nowhere.yaml', 'bad.yaml');
    expect(code).toBe(2);
    expect(out).toContain('CFG001');
  });
  it('a directory stands for the configs in it', async () => {
    file('tree/a/one.yaml', CONFIG);
    file('tree/b/two.yml', CONFIG.replace('rate', 'raet'));
    file('tree/b/other.yaml', 'kind: Service\napiVersion: v1\n');
    file('tree/node_modules/x.yaml', CONFIG);
    const { code, out } = await validate('tree', '--quiet');
    expect(code).toBe(1);
    expect(out).toContain(`tree${path.sep}a${path.sep}one.yaml: 0 errors`);
    expect(out).toContain(`tree${path.sep}b${path.sep}two.yml:4:9: error`);
    expect(out).not.toMatch(/other|node_modules/);
  });
  it('--region chooses', async () => {
    const body = CONFIG.replace(/^(?=.)/gm, '    ');
    file('many.yaml', `workload:\n  one:\n${body}  two:\n${body.replace('rate', 'raet')}`);
    expect((await validate('many.yaml', '--region', 'workload.one')).code).toBe(0);
    expect((await validate('many.yaml', '--region', 'workload.two')).code).toBe(1);
    expect((await validate('many.yaml')).out).toMatch(/many\.yaml:13:13: error CFG001/);
  });
});

describe('isoperf schema', () => {
  it('prints each schema', async () => {
    for (const name of ['config', 'run', 'comparison']) {
      const { code, out } = await call(schemaCommand, name);
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
      });
    }
    expect((await call(schemaCommand)).out).toBe((await call(schemaCommand, 'config')).out);
  });
  it('knows no others', async () => {
    await expect(call(schemaCommand, 'report')).rejects.toThrow(/there are config, run, comparison/);
  });
});
