// How a failed request is named: inference-perf's words where it has one, and one clear sentence each.
//
// Source of the labels: inference-perf main, reportgen/base.py (reference inference-perf.md section 4.6).

import { errorText } from './server-error';

/** The parts of a failed outcome. */
export interface Failure {
  readonly errorType: string;
  readonly label: string;
  readonly message: string;
  readonly httpStatus?: number;
}

/** How much of a server's text goes into a message. */
const EXCERPT_LENGTH = 600;

const STATUS_LABELS: Readonly<Record<number, string>> = {
  429: 'Rate Limit',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** Order matters, as upstream's list: the first that matches names the failure. */
const BODY_LABELS: readonly (readonly [RegExp, string])[] = [
  [/context.window|context length|maximum context|max.?tokens|token.?limit/i, 'Context Window'],
  [
    /invalid.?json|json.?parse|malformed.?json|unexpected.?token|expecting value|unterminated string|expecting ',' delimiter/i,
    'Invalid JSON',
  ],
  [/timeout|timed.?out/i, 'Timeout'],
  [/model.?not.?found|no such model/i, 'Model Not Found'],
];

/** An answer whose status is not 200. Like upstream, every other status counts, 201 and 204 too. */
export function httpFailure(status: number, body: string, location?: string): Failure {
  const text = errorText(body) ?? body.trim();
  const fixed = STATUS_LABELS[status];
  const label = fixed ?? BODY_LABELS.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
  const redirect =
    location === undefined
      ? ''
      : ` It points to ${excerpt(location)}; redirects are not followed, set base_url to the final address.`;
  return {
    errorType: `HTTP Error ${status}`,
    label: `${status} - ${label}`,
    message:
      `The server answered ${status}${text === '' ? ' with an empty body' : `: ${excerpt(text)}`}.${redirect}`.replace(
        /\.\.$/,
        '.',
      ) + refusedField(status, text),
    httpStatus: status,
  };
}

/** Fields of ours that a strict server may refuse, and what takes each out of the requests. */
const FIELDS: readonly (readonly [name: string, remedy: string])[] = [
  ['ignore_eos', 'server.ignore_eos: false leaves it out'],
  ['max_tokens', 'the directive "# isoperf: max-completion-tokens" sends max_completion_tokens in its place'],
  ['max_completion_tokens', 'without the directive max-completion-tokens it is max_tokens'],
  ['stream_options', 'api.streaming: false leaves it out'],
  ['response_format', 'api.response_format: null leaves it out'],
  ['cache_salt', 'without --salt it is left out'],
  ['add_special_tokens', 'data.use_chat_template: false leaves it out'],
];

/** Words of a refusal of a field as such; a value that is too large is another matter. */
const REFUSES =
  /unexpected|unsupported|not supported|unknown|unrecogni[sz]ed|extra[ _]|not permitted|not allowed|additional propert|invalid (?:field|param|arg)/i;

function refusedField(status: number, text: string): string {
  if ((status !== 400 && status !== 422) || !REFUSES.test(text)) return '';
  const named = FIELDS.flatMap(([name, remedy]) => {
    const at = text.search(new RegExp(`(?<![\\w])${name}(?![\\w])`));
    return at < 0 ? [] : [{ name, remedy, at }];
  });
  // "'max_tokens' is not supported, use 'max_completion_tokens'": the first named is the one refused.
  const [first] = named.sort((a, b) => a.at - b.at);
  return first ? ` It refuses the field ${first.name}: ${first.remedy}.` : '';
}

/** The total time allowed for the request ran out. */
export function timeoutFailure(timeoutSeconds: number, progress: string): Failure {
  return {
    errorType: 'TimeoutError',
    label: 'Timeout',
    message: `Request timed out: no complete answer within ${timeoutSeconds} s (${progress}).`,
  };
}

/** The server said 200 and then reported an error, inside the stream or as the whole body. */
export function inBandFailure(where: 'stream' | 'answer', description: string): Failure {
  return {
    errorType: where === 'stream' ? 'ErrorInStream' : 'ErrorInAnswer',
    label: `error in ${where}`,
    message: `The server answered 200 and then an error: ${excerpt(description)}`,
    httpStatus: 200,
  };
}

/** 200, well formed, and not one token. */
export function emptyFailure(bodyStart: string): Failure {
  const body = bodyStart.trim() === '' ? 'the body was empty' : `the body starts ${quoted(bodyStart)}`;
  return {
    errorType: 'EmptyAnswer',
    label: 'empty answer',
    message: `The server answered 200 without a single token (${body}).`,
    httpStatus: 200,
  };
}

/** The body ended, by the rules of HTTP, before the answer did. */
export function endedEarlyFailure(chunks: number): Failure {
  return {
    errorType: 'StreamEndedEarly',
    label: 'stream ended early',
    message: `The stream ended after ${chunks} token events without [DONE] and without a finish_reason: the answer is incomplete.`,
    httpStatus: 200,
  };
}

/** 200 and a body that is not what was asked for. */
export function unreadableFailure(reason: string, text: string): Failure {
  return {
    errorType: 'UnreadableAnswer',
    label: 'unreadable answer',
    message: `The answer cannot be read (${reason}): it starts ${quoted(text)}.`,
    httpStatus: 200,
  };
}

/** One line of a server's text, not too long. */
export function excerpt(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > EXCERPT_LENGTH ? `${flat.slice(0, EXCERPT_LENGTH)}…` : flat;
}

function quoted(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  return `"${flat.length > 160 ? `${flat.slice(0, 160)}…` : flat}"`;
}
