// The extension's small pure parts: facts of runs, command lines, pages, messages, bundles.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { viewHtml } from '../../../src/extension/html';
import { threadsAsked } from '../../../src/config/will/sending-threads';
import { runArguments, terminalLine } from '../../../src/extension/run-command';
import {
  factsLine,
  firstSight,
  firstSightWords,
  runFacts,
  runLabel,
  stateWords,
} from '../../../src/extension/run-facts';
import { parseRestore, parseWebviewMessage } from '../../../src/messages';
import { sampleRun, USUAL } from '../../page/sample-run';

describe('the facts of a run', () => {
  const summary = JSON.stringify({ successes: { latency: { time_to_first_token: { p95: 0.0581 } } } });
  const facts = runFacts('folder', JSON.stringify(sampleRun().manifest), summary);

  it('fit on one line', () => {
    expect(factsLine(facts)).toBe('5 → 20 rps · TTFT p95 58.1 ms');
    expect(stateWords(facts)).toMatch(/^complete, \d+ of 800 ok$/);
  });

  it('tell runs apart by name and local time, with seconds where two have one label', () => {
    const at = (seconds: number) => ({ ...facts, startedAt: new Date(2026, 10, 29, 16, 54, seconds).toISOString() });
    const [one, two, later] = [at(3), at(41), { ...facts, startedAt: new Date(2026, 10, 30, 9, 5).toISOString() }];
    expect([one, two, later].map((run) => runLabel(run, [one, two, later]))).toEqual([
      'chat-8b · 11-29 16:54:03',
      'chat-8b · 11-29 16:54:41',
      'chat-8b · 11-30 09:05',
    ]);
    expect(runLabel({ ...facts, startedAt: 'Tue' })).toBe('chat-8b');
  });

  it('do not call the same load of two tools a difference', () => {
    const vllm = { ...facts, tool: 'vllm', load: '20 requests/s asked' };
    expect(firstSight(facts, vllm).differs).toEqual([]);
    expect(firstSight(vllm, { ...vllm, load: '30 requests/s asked' }).differs).toHaveLength(1);
  });

  it('say what differs between two runs where both record it, and claim nothing else', () => {
    const other = sampleRun({ ...USUAL, warmup: false, counter: 'client-tokenizer', rates: [5, 20] });
    const sight = firstSight(facts, runFacts('other', JSON.stringify(other.manifest), undefined));
    expect(sight.differs).toEqual([
      'warm-up: 1 warm-up stage → no warm-up',
      'token source: server-usage → client-tokenizer',
    ]);
    expect(firstSightWords(sight)).toMatch(/^differs in warm-up/);
    // A result of another tool has no run.json: nothing was looked at.
    const foreign = runFacts('vllm.json', undefined, undefined);
    expect(firstSight(facts, foreign)).toEqual({ differs: [], alike: [] });
    expect(firstSightWords(firstSight(facts, foreign))).toBe('not compared yet');
    expect(firstSightWords(firstSight(facts, facts))).toMatch(/^not compared yet \(same endpoint, model, load/);
    expect(facts.configFile).toBe(sampleRun().manifest!.config.file);
  });

  it.each([undefined, '', '{', '[]', '"x"', 'null', '{"stages":7,"clock":[],"counts":{"planned":"x"}}'])(
    'survive a manifest that reads %j',
    (text) => {
      expect(runFacts('folder', text, text)).toEqual({ name: 'folder', state: 'unknown' });
    },
  );
});

describe('command lines', () => {
  it('are the engine’s, with the target', () => {
    const plain = { config: 'a.yaml', target: { kind: 'config' }, workers: 'auto' } as const;
    expect(runArguments(plain)).toEqual(['run', 'a.yaml', '--events']);
    expect(runArguments({ ...plain, target: { kind: 'simulator' }, region: 'x' })).toEqual([
      'run',
      'a.yaml',
      '--events',
      '--simulator',
      '--region',
      'x',
    ]);
    expect(runArguments({ ...plain, target: { kind: 'url', url: 'http://h' } })).toContain('server.base_url=http://h');
    expect(runArguments({ ...plain, workers: 3 })).toEqual(['run', 'a.yaml', '--events', '--workers', '3']);
  });

  it('can be pasted into a shell, and name the key without showing it', () => {
    const wish = { config: 'my $config.yaml', target: { kind: 'config' }, workers: 'auto' } as const;
    const line = terminalLine('/opt/my ext/cli.js', wish, true);
    expect(line).toBe('ISOPERF_API_KEY=… node "/opt/my ext/cli.js" run "my \\$config.yaml"');
    expect(terminalLine('cli.js', { ...wish, config: 'a.yaml', workers: 4 }, false)).toBe(
      'node cli.js run a.yaml --workers 4',
    );
  });

  it('take from the settings what the settings accept', () => {
    const manifest = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../package.json'), 'utf8')) as {
      contributes: { configuration: { properties: Record<string, { default: unknown; pattern: string }> } };
    };
    const { default: usual, pattern } = manifest.contributes.configuration.properties['isoperf.run.workers']!;
    expect(threadsAsked(usual)).toBe('auto');
    for (const text of [
      'auto',
      '0',
      '00',
      '01',
      ...Array.from({ length: 300 }, (_, n) => String(n)),
      '',
      'x',
      '-1',
      '1.5',
    ]) {
      const isTaken = threadsAsked(text) !== undefined && !/^0\d/.test(text);
      expect([text, new RegExp(pattern).test(text)]).toEqual([text, isTaken]);
    }
  });
});

describe('the page of a view', () => {
  const html = viewHtml({
    kind: 'report',
    title: '<b>"',
    nonce: 'n0nce',
    cspSource: 'https://csp',
    scriptUri: 'https://csp/a.js',
    styleUri: 'https://csp/a.css',
  });

  it('allows nothing but its own script and style', () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)![1]!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'nonce-n0nce'");
    expect(policy).not.toMatch(/unsafe|\*|data:|http:/);
    expect(html).toContain('<title>&lt;b&gt;&quot;</title>');
  });
});

describe('messages of a view', () => {
  it('are taken when they are well formed', () => {
    for (const message of [
      { type: 'ready' },
      { type: 'stop', now: true },
      { type: 'openEvidence', finding: 3 },
      { type: 'openFile', side: 'b', file: 'run.json' },
      { type: 'intend', dimension: null },
    ]) {
      expect(parseWebviewMessage(message)).toEqual(message);
    }
  });

  it.each([
    null,
    'ready',
    {},
    { type: 'toString' },
    { type: 'unknown' },
    { type: 'stop' },
    { type: 'stop', now: 'yes' },
    { type: 'openEvidence', finding: -1 },
    { type: 'openEvidence', finding: 1, side: 'c' },
    { type: 'openFile', side: 'a', file: '' },
    { type: 'openFile', side: 'a', file: 'x'.repeat(400) },
    { type: 'explain', code: 7 },
  ])('are refused otherwise: %j', (message) => {
    expect(parseWebviewMessage(message)).toBeUndefined();
  });

  it('restore only what they saved', () => {
    const good = { kind: 'comparison', folders: ['file:///a', 'file:///b'], intended: ['token-source'] };
    expect(parseRestore(good)).toEqual(good);
    expect(parseRestore({ ...good, folders: ['file:///a'] })).toBeUndefined();
    expect(parseRestore({ kind: 'report', folders: [7], intended: [] })).toBeUndefined();
    expect(parseRestore(undefined)).toBeUndefined();
  });
});

describe('the bundle of the extension host', () => {
  interface Input {
    readonly imports: readonly { readonly path: string; readonly kind: string }[];
  }
  interface Metafile {
    readonly inputs: Readonly<Record<string, Input>>;
    readonly outputs: Readonly<Record<string, { readonly bytes: number }>>;
  }
  const metafile = (name: string): Metafile => {
    const file = path.resolve(import.meta.dirname, `../../../out/${name}.meta.json`);
    return JSON.parse(readFileSync(file, 'utf8')) as Metafile;
  };
  const { inputs, outputs } = metafile('extension');
  const all = [inputs, metafile('rooms').inputs].flatMap((each) => Object.keys(each));

  it('is small, because what configs need is a file of its own', () => {
    expect(outputs['dist/extension.js']?.bytes).toBeLessThan(250_000);
    expect(Object.keys(metafile('rooms').outputs)).toContain('dist/language.js');
  });

  it('reads and judges no report: the reader does, in a process of its own', () => {
    const judgement = all.filter((name) => /^src\/(comparability|views|audit|readers\/(read|records))[/.]/.test(name));
    expect(judgement).toEqual([]);
  });

  it('holds neither the engine nor an HTTP client', () => {
    const foreign = all.filter((name) =>
      /node_modules\/(undici|@huggingface|chart\.js|@vscode)\/|^src\/(run|loadgen|client|datagen|simulator|cli)[/.]/.test(
        name,
      ),
    );
    expect(foreign).toEqual([]);
  });

  it('evaluates next to nothing when VS Code starts it: models, parsers and judgement wait for their first use', () => {
    const eager = new Set<string>();
    const visit = (name: string): void => {
      if (eager.has(name)) return;
      eager.add(name);
      for (const entry of inputs[name]?.imports ?? []) if (entry.kind === 'import-statement') visit(entry.path);
    };
    visit('src/extension/main.ts');
    expect(eager.size).toBeGreaterThan(10);
    // Small files without imports may: what a config looks like, how threads are written, which files belong together, titles.
    const heavy =
      /node_modules|^src\/(language|audit|comparability|pitfalls)\/|^src\/readers\/(?!companions|distinct)|^src\/config\/(?!find\/detect|will\/sending-threads)/;
    expect([...eager].filter((name) => heavy.test(name))).toEqual([]);
  });
});
