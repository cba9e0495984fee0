// A config.yaml in the making: sections as nested values, directives, and what stands beside a stage.
import { toYaml } from '../folder/write-yaml';
import { formatPath, type ConfigPath } from '../problem';
import { isObject } from '../own';
import type { Given } from './flags';
import { emptySheet, type Line, type Sheet } from './sheet';

type Tree = Record<string, unknown>;

export interface Draft extends Sheet {
  readonly given: Given;
  readonly config: Tree;
  /** Of the document: `seed=0`. */
  readonly directives: string[];
  /** By stage: `warmup`. */
  readonly stageDirectives: Map<number, string>;
}

export function emptyDraft(given: Given, sheet: Sheet = emptySheet()): Draft {
  return { ...sheet, given, config: {}, directives: [], stageDirectives: new Map() };
}

/** @param path dotted */
export function put({ config }: Draft, path: string, value: unknown): void {
  const steps = path.split('.');
  let node = config;
  for (const step of steps.slice(0, -1)) {
    const inner = node[step];
    const next: Tree = isObject(inner) ? inner : {};
    node[step] = next;
    node = next;
  }
  node[steps.at(-1)!] = value;
}

/** The order a reader expects, whatever row came first. */
const SECTIONS = ['load', 'api', 'server', 'tokenizer', 'data', 'report', 'storage'];

/** @param head lines of the comment in front, without `#` */
export function draftText({ config, directives, stageDirectives }: Draft, head: readonly string[]): string {
  const sections = Object.fromEntries(SECTIONS.flatMap((name) => (name in config ? [[name, config[name]]] : [])));
  const commentAt = (path: ConfigPath): string | undefined => {
    const [, stage] = /^load\.stages\[(\d+)\]$/.exec(formatPath(path)) ?? [];
    const words = stage === undefined ? undefined : stageDirectives.get(Number(stage));
    return words === undefined ? undefined : `isoperf: ${words}`;
  };
  return [
    ...head.map((line) => (line === '' ? '#' : `# ${line}`)),
    ...directives.map((words) => `# isoperf: ${words}`),
    toYaml(sections, commentAt),
  ].join('\n');
}

/** "lossless --base-url: server.base_url", one a line. */
export function lineText({ kind, what, words }: Line): string {
  return `${kind} ${what}: ${words}`;
}
