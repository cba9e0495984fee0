// What a store's refusal means, in words: from the names and numbers that Amazon's and Google's libraries put on their errors.
import { redactText } from '../../config/secrets';
import type { Env } from './bucket';
import type { BucketPlace } from './place';

export type FailureKind =
  | 'no-credentials'
  | 'refused-credentials'
  | 'forbidden'
  | 'no-bucket'
  | 'taken'
  | 'unknown-condition'
  | 'network'
  | 'disk'
  | 'other';

/** Names by kind: S3's error codes, names of the libraries' own errors, and Node's error codes. */
const NAMES: readonly (readonly [FailureKind, RegExp])[] = [
  [
    'no-credentials',
    /^(?:CredentialsProviderError|TokenProviderError)$|could not load (?:the )?(?:default )?credentials/i,
  ],
  [
    'refused-credentials',
    /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|TokenRefreshRequired|Unauthorized)$|invalid_grant/,
  ],
  ['no-bucket', /^(?:NoSuchBucket|InvalidBucketName)$/],
  ['taken', /^(?:PreconditionFailed|ConditionalRequestConflict)$/],
  ['unknown-condition', /^NotImplemented$/],
  ['forbidden', /^(?:AccessDenied|Forbidden|AllAccessDisabled)$/],
  ['disk', /^(?:ENOENT|EACCES|EISDIR|EMFILE|EIO)$/],
  ['network', /^(?:E[A-Z]+|TimeoutError|NetworkingError|EAI_AGAIN)$|timed? ?out|socket hang up/i],
];

const STATUS: Readonly<Record<number, FailureKind>> = {
  401: 'refused-credentials',
  403: 'forbidden',
  404: 'no-bucket',
  409: 'taken',
  412: 'taken',
  501: 'unknown-condition',
};

export function failureKind(error: unknown): FailureKind {
  const words = wordsOf(error);
  for (const [kind, pattern] of NAMES) if (words.some((word) => pattern.test(word))) return kind;
  const status = statusOf(error);
  return (status === undefined ? undefined : STATUS[status]) ?? 'other';
}

/** Name, code and message; of the cause, too, where an error wraps another. */
function wordsOf(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 3) return [];
  const { name, Code, code, message, cause } = error as Record<string, unknown>;
  const own = [name, Code, code, message].filter(
    (word): word is string => typeof word === 'string' && word !== 'Error',
  );
  return [...own, ...wordsOf(cause, depth + 1)];
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { $metadata, code, status } = error as Record<string, unknown>;
  const http = typeof $metadata === 'object' && $metadata !== null ? $metadata : {};
  for (const value of [(http as Record<string, unknown>)['httpStatusCode'], code, status]) {
    if (typeof value === 'number') return value;
  }
  return undefined;
}

export interface Explained {
  readonly why: string;
  readonly remedy: string;
}

/** No secret of the environment is in the words, whatever the store echoed. */
export function explain(error: unknown, place: BucketPlace, env: Env): Explained {
  const kind = failureKind(error);
  const said = withoutSecrets(error instanceof Error ? error.message : String(error), env)
    .replace(/\s+/g, ' ')
    .trim();
  const store = place.kind === 's3' ? 'S3' : 'Google Cloud Storage';
  const credentials =
    place.kind === 's3'
      ? 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or give the machine or pod a role'
      : 'Set GOOGLE_APPLICATION_CREDENTIALS to a key file, or run gcloud auth application-default login';
  const write = place.kind === 's3' ? 's3:PutObject' : 'storage.objects.create';
  switch (kind) {
    case 'no-credentials':
      return { why: `there are no credentials for ${store}`, remedy: credentials };
    case 'refused-credentials':
      return { why: `${store} refused the credentials (${short(said)})`, remedy: credentials };
    case 'forbidden':
      return {
        why: `these credentials may not write to the bucket ${place.bucket}`,
        remedy: `Allow them ${write} there, or name another bucket in storage.${place.section}.bucket_name`,
      };
    case 'no-bucket':
      return {
        why: `there is no bucket ${place.bucket}`,
        remedy: `Make it, or correct storage.${place.section}.bucket_name`,
      };
    case 'taken':
      return {
        why: 'an object of that name is there already, and nothing is overwritten',
        remedy: `Put {timestamp} into storage.${place.section}.path`,
      };
    case 'network':
      return {
        why: `${store} cannot be reached${place.endpoint === undefined ? '' : ` at ${withoutSecrets(place.endpoint, env)}`} (${short(said)})`,
        remedy:
          place.endpoint === undefined
            ? 'Check the connection'
            : `Check storage.${place.section}.endpoint_url and the connection`,
      };
    case 'unknown-condition':
    case 'disk':
    case 'other':
      return { why: short(said) || 'the store gave no reason', remedy: 'Check the store' };
  }
}

function short(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

function withoutSecrets(text: string, env: Env): string {
  let clean = redactText(text);
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN']) {
    const secret = env[name];
    if (secret !== undefined && secret.length >= 4) clean = clean.replaceAll(secret, '<removed>');
  }
  return clean;
}
