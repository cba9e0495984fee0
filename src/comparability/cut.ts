// How much of a window's start is left out as warm-up: so many requests, so many seconds, or what MSER-5 suggests.

export type WarmupCut = { /** As the user wrote it. */ readonly text: string } & (
  | { readonly kind: 'auto' }
  | { readonly kind: 'requests'; readonly requests: number }
  | { readonly kind: 'seconds'; readonly seconds: number }
);

/** `auto`, `50`, `30s` or `500ms`; else why it is none. */
export function parseCut(given: string): WarmupCut | string {
  const text = given.trim();
  if (text === 'auto') return { text, kind: 'auto' };
  const [, amount, unit] = /^(\d+(?:\.\d+)?)\s*(ms|s)?$/.exec(text) ?? [];
  if (amount === undefined || (unit === undefined && !Number.isInteger(Number(amount)))) {
    return `'${given}' is no warm-up cut: write a number of requests (50), a time (30s), or auto`;
  }
  if (unit === undefined) return { text, kind: 'requests', requests: Number(amount) };
  return { text, kind: 'seconds', seconds: Number(amount) * (unit === 'ms' ? 1e-3 : 1) };
}
