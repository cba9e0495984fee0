// Asks a server who it is before the load starts: `/v1/models` and `/version`.
import { ClientProblem } from './endpoint';
import type { ServerFacts, WireResult } from './types';

export interface FetchedText {
  readonly result: WireResult;
  readonly body: string;
}

/** A GET in whatever way the transport does it. Never rejects. */
export type FetchText = (path: string) => Promise<FetchedText>;

/**
 * What the server says of itself; whatever it does not say is a note, never a guess.
 * @throws ClientProblem RUN104 when it cannot be reached at all
 */
export async function probeServer(origin: string, fetchText: FetchText): Promise<ServerFacts> {
  const notes: string[] = [];
  const models = await fetchText('/v1/models');
  const status = statusOf(models.result);
  if (status === undefined && models.result.outcome.kind === 'failed') {
    throw new ClientProblem({
      code: 'RUN104',
      severity: 'error',
      path: ['server', 'base_url'],
      message: `The run cannot start: ${models.result.outcome.message}`,
      remedy: `Start the server, or correct base_url (${origin}).`,
    });
  }
  const names = status === 200 ? modelNames(models.body) : undefined;
  if (names === undefined) notes.push(explain('/v1/models', status, 'a list of models'));
  const asked = await fetchText('/version');
  const version = statusOf(asked.result) === 200 ? versionText(asked.body) : undefined;
  if (version === undefined) notes.push(explain('/version', statusOf(asked.result), 'a version'));
  return {
    ...(version === undefined ? {} : { version }),
    ...(names === undefined ? {} : { models: names }),
    ...(status === 401 || status === 403 ? { keyRejected: true } : {}),
    notes,
  };
}

function statusOf(result: WireResult): number | undefined {
  const { outcome } = result;
  if (outcome.kind === 'ok') return 200;
  return outcome.kind === 'failed' ? outcome.httpStatus : undefined;
}

function explain(path: string, status: number | undefined, what: string): string {
  if (status === undefined) return `${path}: no answer.`;
  if (status === 200) return `${path} answered 200 but not with ${what}.`;
  const why = status === 401 || status === 403 ? ': the API key is missing or was rejected' : '';
  return `${path} answered ${status}${why}.`;
}

function modelNames(body: string): readonly string[] | undefined {
  const value = parse(body);
  const data = isObject(value) ? value['data'] : undefined;
  if (!Array.isArray(data)) return undefined;
  return (data as readonly unknown[]).flatMap((each) =>
    isObject(each) && typeof each['id'] === 'string' ? [each['id']] : [],
  );
}

function versionText(body: string): string | undefined {
  const value = parse(body);
  const version = isObject(value) ? value['version'] : value;
  return typeof version === 'string' && version !== '' ? version : undefined;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
