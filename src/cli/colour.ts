// Colour for a word on a terminal that has colours, never the only sign of anything.

const CODES = { red: 31, green: 32, yellow: 33 } as const;

export type Colour = keyof typeof CODES;

export function paint(text: string, colour: Colour, isColoured: boolean): string {
  return isColoured ? `\u001b[1;${CODES[colour]}m${text}\u001b[0m` : text;
}

/**
 * Whether standard output takes colours: it is a terminal that is not "dumb"; NO_COLOR and FORCE_COLOR decide otherwise, as
 * everywhere (no-color.org).
 */
export function takesColour(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}
