// API keys, kept in VS Code's secret storage by the origin of their endpoint: never in settings, files, arguments or logs.
import * as vscode from 'vscode';

const ORIGINS_KEY = 'isoperf.keyOrigins';
const key = (origin: string): string => `isoperf.apiKey:${origin}`;

export class ApiKeys {
  constructor(
    private readonly secrets: vscode.SecretStorage,
    /** Secret storage cannot list its keys; which origins have one is no secret. */
    private readonly memory: vscode.Memento,
  ) {}

  async get(url: string): Promise<string | undefined> {
    const origin = originOf(url);
    return origin === undefined ? undefined : this.secrets.get(key(origin));
  }

  async set(url: string, value: string): Promise<void> {
    const origin = originOf(url);
    if (origin === undefined) return;
    await this.secrets.store(key(origin), value);
    await this.memory.update(ORIGINS_KEY, [...new Set([...this.origins(), origin])].sort());
  }

  async forget(origin: string): Promise<void> {
    await this.secrets.delete(key(origin));
    await this.memory.update(
      ORIGINS_KEY,
      this.origins().filter((known) => known !== origin),
    );
  }

  origins(): readonly string[] {
    return this.memory.get<readonly string[]>(ORIGINS_KEY, []);
  }
}

/** `https://host:port` of an http(s) URL; undefined for anything else. */
export function originOf(url: string): string | undefined {
  try {
    const parsed = new URL(url);
    return parsed.protocol === 'http:' || parsed.protocol === 'https:' ? parsed.origin : undefined;
  } catch {
    return undefined;
  }
}

/** Asks for the key of one endpoint. Undefined: the user backed out; empty: no key. */
export function askForKey(url: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: `API key for ${originOf(url) ?? url}`,
    prompt: 'Kept in the secret storage of VS Code and given to the engine by its environment. Leave empty for none.',
    password: true,
    ignoreFocusOut: true,
  });
}

export function askForUrl(title: string, value: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title,
    prompt: 'Base URL of an OpenAI-compatible server, without /v1',
    placeHolder: 'http://127.0.0.1:8000',
    value,
    ignoreFocusOut: true,
    validateInput: (text) =>
      originOf(text) === undefined ? 'A URL that begins with http:// or https:// is needed' : null,
  });
}
