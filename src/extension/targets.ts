// Where a run is sent: the config's own endpoint, another URL, or the embedded simulator. Remembered per config, without secrets.
import * as vscode from 'vscode';
import { askForKey, askForUrl, originOf, type ApiKeys } from './secrets';

export type Target =
  { readonly kind: 'config' } | { readonly kind: 'url'; readonly url: string } | { readonly kind: 'simulator' };

const TARGETS_KEY = 'isoperf.targets';

export function rememberedTarget(memory: vscode.Memento, config: vscode.Uri): Target | undefined {
  return memory.get<Readonly<Record<string, Target>>>(TARGETS_KEY, {})[config.toString()];
}

export async function rememberTarget(memory: vscode.Memento, config: vscode.Uri, target: Target): Promise<void> {
  const all = memory.get<Readonly<Record<string, Target>>>(TARGETS_KEY, {});
  await memory.update(TARGETS_KEY, { ...all, [config.toString()]: target });
}

/** "the simulator", "http://host:8000", "server.base_url". */
export function targetWords(target: Target, baseUrl: string | undefined): string {
  switch (target.kind) {
    case 'config':
      return baseUrl ?? 'server.base_url';
    case 'url':
      return target.url;
    case 'simulator':
      return 'the simulator';
  }
}

interface TargetItem extends vscode.QuickPickItem {
  readonly target: Target | 'ask';
}

/** Asks where to run. Undefined: the user backed out. */
export async function pickTarget(
  keys: ApiKeys,
  baseUrl: string | undefined,
  last: Target | undefined,
): Promise<Target | undefined> {
  const items: TargetItem[] = [
    {
      label: '$(server) The config’s own endpoint',
      description: baseUrl ?? 'the config names none',
      detail: 'server.base_url, with a key from the secret storage when there is one for this origin',
      target: { kind: 'config' },
    },
    {
      label: '$(beaker) The embedded simulator',
      description: 'on this machine, with a known truth',
      detail: 'First token after 50 ms, then one every 10 ms: for trying a config out, not for measuring a server',
      target: { kind: 'simulator' },
    },
    ...(last?.kind === 'url'
      ? [{ label: '$(history) The same URL as last time', description: last.url, target: last } satisfies TargetItem]
      : []),
    {
      label: '$(globe) Another URL…',
      description: 'any OpenAI-compatible server',
      detail: 'Asks for the URL and, once per origin, for an API key',
      target: 'ask',
    },
  ];
  const chosen = await vscode.window.showQuickPick(baseUrl === undefined ? items.slice(1) : items, {
    title: 'Run Against',
    placeHolder: 'Run against which server?',
    matchOnDescription: true,
  });
  if (!chosen) return undefined;
  return chosen.target === 'ask' ? askForTarget(keys, last?.kind === 'url' ? last.url : '') : chosen.target;
}

async function askForTarget(keys: ApiKeys, value: string): Promise<Target | undefined> {
  const url = await askForUrl('Run Against Another URL', value);
  if (url === undefined) return undefined;
  if ((await keys.get(url)) === undefined && originOf(url) !== undefined) {
    const key = await askForKey(url);
    if (key === undefined) return undefined;
    if (key !== '') await keys.set(url, key);
  }
  return { kind: 'url', url };
}
