// Where a run sent its requests, as far as its address says it.
import { factsOn, type Side } from './side';

export interface Address {
  readonly url: string;
  /** Scheme, host and port; without user, path or trailing slash. */
  readonly origin: string;
  readonly scheme: string;
  readonly place: 'this machine' | 'inside a cluster' | 'a private network' | 'a public network';
}

export function addressOf(side: Side): Address | undefined {
  const url = factsOn(side).endpoint.value;
  const [, scheme, host, port] = /^([a-z]+):\/\/(?:[^@/]*@)?(\[[^\]]+\]|[^:/?#]+)(?::(\d+))?/i.exec(url ?? '') ?? [];
  if (url === undefined || scheme === undefined || host === undefined) return undefined;
  const lower = scheme.toLowerCase();
  const standard = lower === 'https' ? '443' : '80';
  return { url, origin: `${lower}://${host.toLowerCase()}:${port ?? standard}`, scheme: lower, place: placeOf(host) };
}

function placeOf(host: string): Address['place'] {
  const name = host.toLowerCase();
  if (name === 'localhost' || /^127\./.test(name) || name === '[::1]') return 'this machine';
  if (/\.svc(\.|$)/.test(name) || /\.cluster\.local$/.test(name)) return 'inside a cluster';
  if (/^(10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(name) || /^\[f[cd]/.test(name)) return 'a private network';
  // A bare name is resolved by a search domain: a neighbour, not the internet.
  return name.includes('.') ? 'a public network' : 'a private network';
}

/** Undefined when a side does not say where it sent its requests. */
export function sameAddress(a: Side, b: Side): boolean | undefined {
  const [x, y] = [addressOf(a), addressOf(b)];
  return x && y ? x.origin === y.origin : undefined;
}
