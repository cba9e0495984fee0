// A tool's command -> config.yaml, and config.yaml -> a tool's commands: the rows of its table, walked once.
import { loadConfig, type LoadedConfig } from '../config/load';
import { withoutSecretText } from '../config/secret-names';
import { draftText, emptyDraft, lineText } from './draft';
import { flagsIn, quoted, type Given } from './flags';
import { emptySheet, isChanged, refuse, say, type Line, type Refusal, type Sheet } from './sheet';
import type { Back, Tool } from './tool';
import { SGLANG } from './sglang';
import { VLLM } from './vllm';

export const TOOLS: readonly Tool[] = [VLLM, SGLANG];

/** A tool and the version its table is for; `assumed` is what was asked where no table has that. */
export interface Peer {
  readonly tool: Tool;
  readonly version: string;
  readonly assumed?: string;
}

/** `vllm@0.32`; else why it is none. @param isAssumed take the newest table for a version that is not known */
export function peerOf(text: string, isAssumed: boolean): Peer | string {
  const [name = '', asked] = text.split('@', 2);
  const tool = TOOLS.find((one) => one.name === name);
  if (!tool) return `there is no table of '${name}': it is one of ${TOOLS.map((one) => one.name).join(', ')}`;
  const newest = tool.versions.at(-1)!;
  const known = `${tool.name}@${tool.versions.join(`, ${tool.name}@`)}`;
  if (asked === undefined || asked === '')
    return `which version of ${tool.name}? Flags change their meaning between releases: write ${known}`;
  // 0.32.1 is 0.32.
  const version = tool.versions.find((one) => asked === one || asked.startsWith(`${one}.`));
  if (version !== undefined) return { tool, version };
  return isAssumed
    ? { tool, version: newest, assumed: asked }
    : `${tool.name} ${asked} is not known (${known}); --assume-version reads it as ${newest}`;
}

/** The tool a command line starts; undefined where it is none that is known. */
export function toolOf(words: readonly string[]): Tool | undefined {
  return TOOLS.find((tool) => startOf(tool, words) !== undefined);
}

/** Words of a command behind the tool's own name; `A=b` and a path in front of the program are looked over. */
function startOf(tool: Tool, words: readonly string[]): number | undefined {
  const first = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  if (first < 0) return undefined;
  const named = (word: string | undefined): string => (word ?? '').replace(/^.*\//, '');
  const found = [tool.command, ...tool.aliases].find((start) =>
    start.every((word, i) => (i === 0 ? named(words[first]) === word : words[first + i] === word)),
  );
  return found && first + found.length;
}

export interface Translated {
  readonly lines: readonly Line[];
  readonly refusals: readonly Refusal[];
  /** The config, or one command a line; undefined where something is refused. */
  readonly text?: string;
  readonly isChanged: boolean;
}

/** @param drop flags that are knowingly left out */
export function configOf(
  words: readonly string[],
  { tool, version, assumed }: Peer,
  drop: readonly string[] = [],
): Translated {
  const sheet = emptySheet();
  const start = startOf(tool, words);
  if (start === undefined) {
    refuse(
      sheet,
      words[0] ?? 'the command',
      `It is no command of ${tool.title}.`,
      `Begin with ${tool.command.join(' ')}.`,
    );
    return done(sheet);
  }
  const given = new Map(flagsIn(words.slice(start), tool.flags, sheet));
  const dropped = drop.map((flag) => flag.replace(/^--/, ''));
  for (const flag of dropped) {
    const at = sheet.refusals.findIndex(({ what }) => what === `--${flag}`);
    if (!given.delete(flag) && at < 0) continue;
    if (at >= 0) sheet.refusals.splice(at, 1);
    say(sheet, 'changed', `--${flag}`, 'left out because --drop asks for it');
  }
  fates(tool, given, sheet);
  const draft = emptyDraft(given, sheet);
  if (assumed !== undefined) say(draft, 'assumed', 'version', `${assumed} is not known: read as ${version}`);
  for (const row of tool.rows) row.from(draft);
  if (draft.refusals.length > 0) return done(draft);
  const head = [
    `Translated from ${tool.title} ${version}:`,
    `  ${withoutSecretText(quoted(words))}`,
    ...draft.lines.map((line) => `  ${lineText(line)}`),
  ];
  const text = draftText(draft, head);
  const read = loadConfig(text);
  if (!read.ok) {
    for (const { message, remedy } of read.problems.filter(({ severity }) => severity === 'error')) {
      refuse(draft, 'config.yaml', message, remedy ?? 'Change the flag that it comes from.');
    }
  }
  return done(draft, text);
}

/** Flags that no row reads: they change nothing, or there is no counterpart. */
function fates(tool: Tool, given: Given, sheet: Sheet): void {
  const read = new Set(tool.rows.flatMap(({ flags }) => flags));
  for (const flag of given.keys()) {
    if (read.has(flag)) continue;
    const why = tool.refused[flag];
    if (flag === 'probe-request-rate' && Number(given.get(flag)?.[0]) === 0)
      say(sheet, 'dropped', `--${flag}`, 'it is off');
    else if (why) refuse(sheet, `--${flag}`, ...why);
    else say(sheet, 'dropped', `--${flag}`, tool.dropped[flag] ?? 'it changes nothing that is measured');
  }
}

/** One command for each measured stage. */
export function commandsOf(loaded: LoadedConfig, { tool, version, assumed }: Peer): Translated {
  const whole = emptySheet();
  if (assumed !== undefined) say(whole, 'assumed', 'version', `${assumed} is not known: written for ${version}`);
  const measured = loaded.config.load.stages
    .map((_, index) => index)
    .filter((index) => !loaded.warmupStages.has(index));
  // Without any, the rows say why.
  const stages = measured.length > 0 ? measured : [0];
  if (stages.length > 1)
    say(whole, 'changed', 'load.stages', `${stages.length} commands, one a stage: each is a run of its own`);
  const commands = stages.map((stage) => {
    const back: Back = { ...emptySheet(), loaded, stage, words: [] };
    for (const row of tool.rows) row.to(back);
    // Each stage says the same of everything but its load.
    for (const line of back.lines)
      if (!whole.lines.some(({ what, words }) => what === line.what && words === line.words)) whole.lines.push(line);
    for (const one of back.refusals)
      if (!whole.refusals.some(({ what, why }) => what === one.what && why === one.why)) whole.refusals.push(one);
    return quoted([...tool.command, ...back.words]);
  });
  return done(whole, `${commands.join('\n')}\n`);
}

function done({ lines, refusals }: Sheet, text?: string): Translated {
  const isWhole = text !== undefined && refusals.length === 0;
  return { lines, refusals, isChanged: isChanged({ lines }), ...(isWhole ? { text } : {}) };
}
