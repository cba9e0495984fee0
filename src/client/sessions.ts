// Headers of a session: its id with every request, and the token its server gave it last (reference 1.2, 4.1).
import type { ClientOptions } from './types';

export interface Sessions {
  /** The endpoint's headers, and the session's; the same array when there is no session. */
  headers(common: readonly string[], sessionId: string | undefined): readonly string[];
  /** Notes the token of an answer; names are in lower case. */
  answered(sessionId: string, headers: Readonly<Record<string, string | string[] | undefined>>): void;
}

/** Undefined when the config names neither header. Tokens are kept for the life of the client: sessions end with the run. */
export function createSessions({
  sessionIdHeader,
  sessionTokenHeader,
}: Pick<ClientOptions, 'sessionIdHeader' | 'sessionTokenHeader'>): Sessions | undefined {
  if (sessionIdHeader === undefined && sessionTokenHeader === undefined) return undefined;
  const tokens = new Map<string, string>();
  const tokenField = sessionTokenHeader?.toLowerCase();
  return {
    headers(common, sessionId) {
      if (sessionId === undefined) return common;
      const token = tokens.get(sessionId);
      return [
        ...common,
        ...(sessionIdHeader === undefined ? [] : [sessionIdHeader, sessionId]),
        ...(sessionTokenHeader === undefined || token === undefined ? [] : [sessionTokenHeader, token]),
      ];
    },
    answered(sessionId, headers) {
      if (tokenField === undefined) return;
      const value = headers[tokenField];
      const token = Array.isArray(value) ? value[0] : value;
      if (token !== undefined && token !== '') tokens.set(sessionId, token);
    },
  };
}
