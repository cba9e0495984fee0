// What an engine that broke said on standard error -> the one line that says what happened. Pure.

/** A name of an error class, a code in brackets or not, and its message: "TypeError [ERR_X]: no such thing". */
const ERROR_LINE = /^(?:Uncaught )?[A-Za-z]*(?:Error|Exception)(?: \[[\w.]+\])?: (.+)$/;
/** The command line's own words for what it refuses: "isoperf run: error: ...". */
const OWN_ERROR = /^isoperf(?: \w+)?: error: (.+)$/;
/** Headings, frames, quoted source, carets and Node's own trailer: true of every crash, so they say nothing. */
const NOISE = /^(?:\s|at |isoperf \w+: unexpected error|Node\.js v|node:|\S+\.[cm]?js:\d+$|[{}[\]^~]|$)/;

/** How many lines are kept: a reason is near the end, a stack trace is not longer. */
export const KEPT_LINES = 200;

/** The first line that names an error; else the last line that is no part of a stack trace. Undefined when nothing was said. */
export function reasonOf(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const message = OWN_ERROR.exec(line)?.[1] ?? ERROR_LINE.exec(line)?.[1];
    if (message !== undefined) return message.trim();
  }
  return lines.findLast((line) => !NOISE.test(line))?.trim();
}
