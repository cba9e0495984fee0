// From a position in a file to a place in a config, and back.
import type { Circumstances } from '../config/will/expectations';
import { readConfig, type LoadOptions, type Reading } from '../config/load';
import type { Position } from '../config/yaml/lines';
import type { Region } from '../config/find/regions';
import { NEWEST, targetOf, targetOfImage, type Target } from '../config/model/target';
import type { Spot, YamlNode } from '../config/yaml/tree';
import type { ConfigPath, TextRange } from '../problem';

export type { Position } from '../config/yaml/lines';

export interface Place {
  readonly reading: Reading;
  readonly region: Region;
  /** Path from the config's root. */
  readonly path: ConfigPath;
  readonly part: 'key' | 'value';
  readonly node: Spot['node'];
  /** In the file. */
  readonly range: TextRange;
}

/** Whose machine and which version: what an answer depends on besides the text. */
export type Asked = Pick<LoadOptions, 'defaultTarget'> & Circumstances;

/**
 * One reading for each config of a file; a file without any is read as one, so that it can be judged. None of a config whose places
 * cannot be followed into the file.
 */
export function readings(text: string, { defaultTarget }: Asked = {}): readonly Reading[] {
  // The same options from every feature: then one text is read once.
  const options = defaultTarget === undefined ? {} : { defaultTarget };
  const first = readConfig(text, options);
  const { regions } = first.search;
  const all =
    regions.length < 2 ? [first] : regions.map((region) => readConfig(text, { ...options, region: region.name }));
  return all.filter(({ region }) => region?.isOpaque !== true);
}

/** The inference-perf version a text is written for, broken or not: its directive, its image, the setting, the newest. */
export function targetFor(text: string, given: Asked): Target {
  const judged = readings(text, given)[0]?.target?.target;
  if (judged !== undefined) return judged;
  const directive = /^[^\n#]*#\s*isoperf\s*:[^\n]*\btarget\s*=\s*([\w.]+)/im.exec(text)?.[1];
  const written = directive === undefined ? undefined : targetOf(directive);
  return written ?? targetOfImage(text) ?? given.defaultTarget ?? NEWEST;
}

/** A position of the file in the region's own YAML. */
export function toRegion(region: Region, position: Position): Position {
  const origin = region.toFile({ startLine: 0, startColumn: 0, endLine: 0, endColumn: 0 });
  return { line: position.line - origin.startLine, column: position.column - origin.startColumn };
}

/** The key or value of a config at a position; undefined outside of configs. */
export function placeAt(text: string, position: Position, given: Asked = {}): Place | undefined {
  for (const reading of readings(text, given)) {
    const { region } = reading;
    if (!region) continue;
    const inside = toRegion(region, position);
    if (inside.line < 0 || inside.column < 0) continue;
    const spot = region.document.spotAt(inside.line, inside.column);
    if (!spot || !startsWith(spot.path, region.prefix)) continue;
    const { lines } = region.document;
    const range = region.toFile(lines.range(spot.node.start, spot.node.end));
    return { reading, region, path: spot.path.slice(region.prefix.length), part: spot.part, node: spot.node, range };
  }
  return undefined;
}

function startsWith(path: ConfigPath, start: ConfigPath): boolean {
  return path.length >= start.length && start.every((step, index) => step === path[index]);
}

/** The range of a node in the file. */
export function placed({ region }: Reading, node: YamlNode): TextRange {
  const { document, toFile } = region!;
  return toFile(document.lines.range(node.start, node.end));
}

export function overlaps(left: TextRange, right: TextRange): boolean {
  const before = (a: TextRange, b: TextRange): boolean =>
    a.endLine < b.startLine || (a.endLine === b.startLine && a.endColumn < b.startColumn);
  return !before(left, right) && !before(right, left);
}
