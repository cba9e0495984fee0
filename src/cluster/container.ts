// What a container's spec says: words of its command, and variables as values or as references to where the value lies.
import { isSecretName, withoutSecretValue } from '../config/secret-names';
import { isObject } from '../own';
import type { Variables } from './shell';

export function plain(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

export function wordsIn(value: unknown): string[] {
  return typeof value === 'string' ? [value] : Array.isArray(value) ? value.map(plain) : [];
}

/** A list of `{name, value}` as pairs; a value that lies elsewhere is named by where: `(secret hf/token)`. */
export function variablesOf(entry: unknown): (readonly [string, string])[] {
  if (!Array.isArray(entry)) return [];
  return entry.flatMap((item: unknown) =>
    isObject(item) && typeof item['name'] === 'string'
      ? [[item['name'], item['value'] === undefined ? referenceOf(item['valueFrom']) : plain(item['value'])] as const]
      : [],
  );
}

/** The reference and never the value: a change of reference is a change. */
function referenceOf(from: unknown): string {
  if (!isObject(from)) return from === undefined ? '' : '(from elsewhere)';
  const part = (key: string): Readonly<Record<string, unknown>> => (isObject(from[key]) ? from[key] : {});
  const said = (value: unknown): string => (typeof value === 'string' ? value : '?');
  if ('secretKeyRef' in from)
    return `(secret ${said(part('secretKeyRef')['name'])}/${said(part('secretKeyRef')['key'])})`;
  if ('configMapKeyRef' in from)
    return `(config map ${said(part('configMapKeyRef')['name'])}/${said(part('configMapKeyRef')['key'])})`;
  if ('fieldRef' in from) return `(field ${said(part('fieldRef')['fieldPath'])})`;
  if ('resourceFieldRef' in from) return `(resource ${said(part('resourceFieldRef')['resource'])})`;
  return '(from elsewhere)';
}

/** Objects whose every key becomes a variable, in words; undefined where there is none. */
export function allOf(envFrom: unknown): string | undefined {
  if (!Array.isArray(envFrom)) return undefined;
  const names = envFrom.filter(isObject).flatMap((item) => {
    const [kind, of] = isObject(item['secretRef'])
      ? ['secret', item['secretRef']]
      : isObject(item['configMapRef'])
        ? ['config map', item['configMapRef']]
        : [undefined, {}];
    return kind === undefined ? [] : [`${kind} ${plain(of['name'] ?? '?')}`];
  });
  return names.length === 0 ? undefined : `(${names.join(', ')})`;
}

/** For filling in: values that stand in the spec and are no secrets; of the others the names. */
export function knownVariables(env: unknown): Variables {
  const known = new Map<string, readonly string[] | undefined>();
  if (!Array.isArray(env)) return known;
  for (const item of env as unknown[]) {
    if (!isObject(item) || typeof item['name'] !== 'string') continue;
    const { name, value } = item;
    const isPlain = typeof value === 'string' && !isSecretName(name) && withoutSecretValue(name, value) === value;
    // A value may use the ones before it.
    known.set(name, isPlain ? [filledIn(value, known)] : undefined);
  }
  return known;
}

/** `$(NAME)` is the container's variable, `$$(NAME)` stands for itself, what is not known stays: Kubernetes does so before any shell. */
export function filledIn(word: string, environment: Variables): string {
  return word.replace(/\$\$|\$\(([A-Za-z_][\w.-]*)\)/g, (whole, name?: string) =>
    name === undefined ? '$' : (environment.get(name)?.join(' ') ?? whole),
  );
}
