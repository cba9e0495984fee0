// What a key, a value or a directive means, as Markdown of at most a dozen lines.
import { DIRECTIVES } from '../config/directives';
import { fieldAt, type FieldInfo } from '../config/model/fields';
import type { Circumstances } from '../config/will/expectations';
import { has, NEWEST, targetName } from '../config/model/target';
import { docsAnchor, pitfallByCode, pitfallsAt } from '../pitfalls/catalogue';
import { configPitfalls } from '../pitfalls/check';
import type { Pitfall } from '../pitfalls/pitfall';
import type { ConfigPath, TextRange } from '../problem';
import { describeField } from './describe';
import { expectationAt } from './hints';
import { placeAt, readings, toRegion, type Asked, type Place, type Position } from './place';
import { own } from '../own';

export interface Hover {
  readonly markdown: string;
  readonly range: TextRange;
}

const MAX_LINES = 12;
const MAX_PITFALLS = 4;

/** The hover at a position, or undefined where there is nothing to say. */
export function hover(text: string, position: Position, given: Asked = {}): Hover | undefined {
  const directive = directiveHover(text, position, given);
  if (directive) return directive;
  const place = placeAt(text, position, given);
  if (!place || place.path.length === 0) return undefined;
  const loadType = place.reading.loaded?.config.load.type;
  const field = fieldAt(place.path, loadType) ?? fieldAt(place.path);
  if (!field?.description) return undefined;
  // Over a mapping or list only the key explains; over a scalar both do.
  if (place.part === 'value' && place.node.kind !== 'scalar') return undefined;
  return { markdown: fieldHover(field, place, given), range: place.range };
}

function fieldHover(field: FieldInfo, place: Place, given: Circumstances): string {
  const lines = [
    ...describeField(field).split('\n'),
    ...unknownLines(field, place),
    ...enumLines(field, place),
    ...expectedLines(place, given),
  ];
  return withPitfalls(lines.slice(0, MAX_LINES), place);
}

/** The version that will run is older than the key. */
function unknownLines(field: FieldInfo, { reading }: Place): string[] {
  const target = reading.target?.target ?? NEWEST;
  return has(target, field.since)
    ? []
    : ['', `inference-perf ${targetName(target)}, which will run this file, does not know it.`];
}

/** Keys that a note elsewhere is about. */
const NOTED_AT: Readonly<Record<string, ConfigPath>> = {
  'load.num_workers': ['load'],
  'load.worker_max_concurrency': ['load'],
  'load.request_timeout': ['load'],
  'load.base_seed': ['load', 'type'],
};

/** What the hint on the line says; a stage's stands at its first key. */
function expectedLines({ reading, path }: Place, given: Circumstances): string[] {
  const isStageKey = path.length === 4 && path[1] === 'stages';
  const noted = own(NOTED_AT, path.join('.')) ?? (isStageKey ? path.slice(0, 3) : path);
  const found = reading.loaded && expectationAt(reading.loaded, noted, given);
  return found === undefined ? [] : ['', ...found.split('\n')];
}

/** Over a word the word's own meaning; over the key all words. */
function enumLines(field: FieldInfo, place: Place): string[] {
  const words = field.enumValues;
  if (!words) return [];
  const current = place.node.kind === 'scalar' && place.part === 'value' ? place.node.text : undefined;
  const entry = current === undefined ? undefined : words[current];
  if (entry) return ['', `\`${current}\`: ${entry.doc}${entry.since === undefined ? '' : ` (since ${entry.since})`}`];
  return [
    '',
    `One of ${Object.keys(words)
      .map((word) => `\`${word}\``)
      .join(', ')}.`,
  ];
}

function withPitfalls(lines: readonly string[], place: Place): string {
  const pitfalls = shownFirst(place);
  const room = Math.max(0, Math.min(MAX_PITFALLS, MAX_LINES - lines.length - 1));
  const listed = pitfalls
    .slice(0, room)
    .map((pitfall) => `- [${pitfall.code}](${docsAnchor(pitfall.code)}) ${pitfall.title}`);
  return (listed.length === 0 ? lines : [...lines, '', ...listed]).join('\n');
}

/** Those that this file shows here, then the others of the key. */
function shownFirst({ path, reading }: Place): readonly Pitfall[] {
  const dotted = (steps: ConfigPath): string => steps.filter((step) => typeof step === 'string').join('.');
  const judged = reading.loaded ?? reading.partial;
  const hits = judged ? configPitfalls(judged) : [];
  const here = hits.filter((hit) => dotted(hit.path) === dotted(path)).flatMap(({ code }) => pitfallByCode(code) ?? []);
  return [...new Set([...here, ...pitfallsAt(path)])];
}

function directiveHover(text: string, position: Position, given: Asked): Hover | undefined {
  for (const { region } of readings(text, given)) {
    if (!region) continue;
    const inside = toRegion(region, position);
    const comment = region.document.comments.find(
      ({ range }) =>
        range.startLine === inside.line && range.startColumn <= inside.column && inside.column <= range.endColumn,
    );
    if (!comment || !/^\s*isoperf\s*:/i.test(comment.text)) continue;
    const known = Object.entries(DIRECTIVES).filter(([name]) => new RegExp(`\\b${name}\\b`).test(comment.text));
    const lines = known.map(
      ([name, kind]) => `**\`# isoperf: ${name}${kind.value === 'seed' ? '=N' : ''}\`**: ${kind.doc}`,
    );
    if (/\bdisable\b/.test(comment.text))
      lines.push('**`# isoperf: disable CODE because ...`**: these findings are known and accepted in this file.');
    if (lines.length === 0) continue;
    lines.push('', 'inference-perf ignores it: it is a comment.');
    return { markdown: lines.join('\n\n').replace(/\n{3,}/g, '\n\n'), range: region.toFile(comment.range) };
  }
  return undefined;
}
