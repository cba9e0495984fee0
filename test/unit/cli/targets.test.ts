// `isoperf targets`: what kubectl printed in, servers with their evidence and routes out.
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { targetsCommand } from '../../../src/cli/targets';
import type { CliIo } from '../../../src/cli/command';
import { deployment, service } from '../cluster/objects';

async function call(text: string, ...more: string[]): Promise<{ code: number; out: string }> {
  const cwd = mkdtempSync(path.join(os.tmpdir(), 'isoperf-targets-'));
  writeFileSync(path.join(cwd, 'k.json'), text);
  let out = '';
  const io: CliIo = {
    out: (piece) => (out += piece),
    err: () => undefined,
    isTerminal: false,
    columns: 200,
    env: {},
    cwd,
  };
  return { code: await targetsCommand.run(['k.json', ...more], io), out };
}

describe('isoperf targets', () => {
  const objects = [...deployment('a', 2), service('s', { app: 'a' })];

  it.each<[string, string]>([
    ['a List', JSON.stringify({ kind: 'List', items: objects })],
    ['documents', objects.map((one) => JSON.stringify(one)).join('\n---\n')],
  ])('of %s lists servers with evidence and routes', async (_, text) => {
    const { code, out } = await call(text);
    expect(code).toBe(0);
    expect(out).toContain('Deployment llm/a: vllm, m, 2 of 2 ready');
    expect(out).toMatch(/found by +command `vllm serve`; image vllm\/vllm-openai/);
    expect(out).toMatch(/svc\/s:80 +Service s: http:\/\/s\.llm\.svc:80; no port-forward: 2 ready pods/);
  });

  it('as JSON has the pods behind each route', async () => {
    const { out } = await call(JSON.stringify({ kind: 'List', items: objects }), '--json');
    const { targets } = JSON.parse(out) as { targets: { routes: { pods: { name: string }[] }[] }[] };
    expect(targets[0]!.routes[0]!.pods.map(({ name }) => name)).toEqual(['a-h1-0', 'a-h1-1']);
  });

  it('finds nothing in an empty list, and says of other texts what they are not', async () => {
    expect(await call('{"kind":"List","items":[]}')).toMatchObject({ code: 1 });
    expect((await call(JSON.stringify(service('s', {})))).out).toMatch(/^No server was found/);
    await expect(call('just words')).rejects.toThrow(/holds no Kubernetes object/);
    await expect(call('{}', 'more')).rejects.toThrow(/one file is needed/);
  });
});
