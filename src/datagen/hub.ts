// Files of the Hugging Face hub (HF_ENDPOINT, HF_TOKEN), fetched only when the user allowed it, kept in a cache of our own.
import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface HubFile {
  readonly kind: 'models' | 'datasets';
  /** `owner/name`. */
  readonly repository: string;
  readonly file: string;
}

export interface HubAccess {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Wins over HF_TOKEN. */
  readonly token?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type HubAnswer =
  | { readonly ok: true; readonly path: string; readonly url: string; readonly wasCached: boolean }
  /** `reason` says in words what the hub answered; it holds no token. */
  | { readonly ok: false; readonly status?: number; readonly reason: string };

const DEFAULT_ENDPOINT = 'https://huggingface.co';
const NAME = /^[\w.-]+(\/[\w.-]+)?$/;

/** Where a hub file is kept: XDG_CACHE_HOME or ~/.cache, then isoperf/hub. */
export function hubCachePath({ kind, repository, file }: HubFile, env: HubAccess['env']): string {
  const cache = env['XDG_CACHE_HOME'] ?? path.join(env['HOME'] ?? os.homedir(), '.cache');
  return path.join(cache, 'isoperf', 'hub', kind, repository.replace('/', '--'), file);
}

const OFFLINE = 'HF_HUB_OFFLINE';

/** The hub's own switch, with the values its library takes for true. */
function isOffline(env: HubAccess['env']): boolean {
  return /^(?:1|true|yes|on)$/i.test(env[OFFLINE] ?? '');
}

/** Takes the file from the cache, or downloads it whole. Never rejects for what a hub or a disk does. */
export async function fetchFromHub(what: HubFile, access: HubAccess): Promise<HubAnswer> {
  const { kind, repository, file } = what;
  if (!NAME.test(repository) || repository.includes('..')) {
    return { ok: false, reason: `'${repository}' is not a name of the hub` };
  }
  const place = hubCachePath(what, access.env);
  const offline = isOffline(access.env);
  if (offline && !existsSync(place)) return { ok: false, reason: `${OFFLINE}=1 forbids asking the hub` };
  const endpoint = (access.env['HF_ENDPOINT'] || DEFAULT_ENDPOINT).replace(/\/+$/, '');
  const url = `${endpoint}/${kind === 'datasets' ? 'datasets/' : ''}${repository}/resolve/main/${file}`;
  if (existsSync(place)) return { ok: true, path: place, url, wasCached: true };
  const token = access.token || access.env['HF_TOKEN'];
  const temporary = `${place}.${process.pid}.part`;
  try {
    // A redirect to another host (the hub's file store) goes without the token: fetch drops the header there.
    const response = await fetch(url, {
      headers: token ? { authorization: `Bearer ${token}` } : {},
      ...(access.signal ? { signal: access.signal } : {}),
    });
    if (!response.ok || !response.body) {
      return { ok: false, status: response.status, reason: refusal(response.status, url, Boolean(token)) };
    }
    mkdirSync(path.dirname(place), { recursive: true });
    await pipeline(chunksOf(response.body), createWriteStream(temporary));
    renameSync(temporary, place);
    return { ok: true, path: place, url, wasCached: false };
  } catch (error) {
    rmSync(temporary, { force: true });
    const { message, cause } = error as Error;
    return { ok: false, reason: `${url} could not be fetched: ${cause instanceof Error ? cause.message : message}` };
  }
}

function refusal(status: number, url: string, hasToken: boolean): string {
  if (status === 401 || status === 403) {
    return hasToken
      ? `${url} answered ${status}: the token has no access to it`
      : `${url} answered ${status}: it needs a token in HF_TOKEN`;
  }
  return `${url} answered ${status}`;
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
