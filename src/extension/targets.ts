// Where a run is sent: the config's own endpoint, another URL, or the embedded simulator. Remembered per config, without secrets.
import * as vscode from 'vscode';
import { probe, type Probe } from './probe';
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

/** Local refusals come at once: waited for, so that the list need not change under the pointer. */
const PROBE_FIRST_MS = 300;

/** Asks where to run; the target of last time is first. Undefined: the user backed out. */
export async function pickTarget(
  keys: ApiKeys,
  baseUrl: string | undefined,
  last: Target | undefined,
): Promise<Target | undefined> {
  const probing = probe(last?.kind === 'url' ? last.url : baseUrl);
  const early = await Promise.race([
    probing,
    new Promise<Probe>((resolve) => setTimeout(resolve, PROBE_FIRST_MS, 'unknown')),
  ]);
  const picker = vscode.window.createQuickPick<TargetItem>();
  picker.title = 'Run Against';
  picker.placeholder = 'Run against which server?';
  picker.matchOnDescription = true;
  picker.items = targetItems(baseUrl, last, early);
  void probing.then((found) => {
    if (found === 'nothing' && early !== found) picker.items = targetItems(baseUrl, last, found, early);
  });
  const chosen = await new Promise<TargetItem | undefined>((resolve) => {
    picker.onDidAccept(() => resolve(picker.selectedItems[0]));
    picker.onDidHide(() => resolve(undefined));
    picker.show();
  });
  picker.dispose();
  if (!chosen) return undefined;
  return chosen.target === 'ask' ? askForTarget(keys, last?.kind === 'url' ? last.url : '') : chosen.target;
}

/** @param order by what was known when the list was shown: it stays as it is while it is read */
function targetItems(
  baseUrl: string | undefined,
  last: Target | undefined,
  found: Probe,
  order: Probe = found,
): readonly TargetItem[] {
  const dead = found === 'nothing';
  const where = (url: string): string => (dead ? `${url} · nothing listens there` : url);
  const own: TargetItem = {
    label: `$(${dead ? 'warning' : 'server'}) The config’s own endpoint`,
    description: where(baseUrl ?? ''),
    detail: 'server.base_url, with a key from the secret storage when there is one for this origin',
    target: { kind: 'config' },
  };
  const simulator: TargetItem = {
    label: '$(beaker) The embedded simulator',
    description: 'on this machine, with a known truth',
    detail: 'First token after 50 ms, then one every 10 ms: for trying a config out, not for measuring a server',
    target: { kind: 'simulator' },
  };
  const another: TargetItem = {
    label: '$(globe) Another URL…',
    description: 'any OpenAI-compatible server',
    detail: 'Asks for the URL and, once per origin, for an API key',
    target: 'ask',
  };
  const same: readonly TargetItem[] =
    last?.kind === 'url'
      ? [{ label: '$(history) The same URL as last time', description: where(last.url), target: last }]
      : [];
  const config = baseUrl === undefined ? [] : [last?.kind === 'url' ? { ...own, description: baseUrl } : own];
  const isSimulatorFirst = last?.kind === 'simulator' || (last === undefined && order === 'nothing');
  return isSimulatorFirst ? [simulator, ...config, another] : [...same, ...config, simulator, another];
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
