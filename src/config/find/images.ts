// The container image of inference-perf that a Kubernetes manifest or Helm values name, in whatever style of YAML they are written.
import type { Problem, TextRange } from '../../problem';
import type { YamlDocument } from '../yaml/document';
import type { Region, RegionSearch } from './regions';
import {
  imageTag,
  MAIN_IS_DATED,
  matchTarget,
  targetName,
  KNOWN_TARGETS,
  type TargetChoice,
  type TargetMatch,
} from '../model/target';

const IMAGE = /inference-perf[^\s:@/]*:([\w.-]+)(?:@|$)/;
const NAME = /inference-perf[^\s:@/]*$/;
const MAX_VISITED = 5000;

/** An image beside a config. */
export interface Image {
  readonly tag: string;
  /** Absent when the tag is no version, and none of the others has one. */
  readonly match?: TargetMatch;
  /** Of the tag, in the file; absent when it cannot be found there as it is written. */
  readonly range?: TextRange;
}

/**
 * The image that a config is meant for: in the config's own document first, then in the file's others, then in the text as it stands
 * (for what cannot be read as YAML). One whose tag is a version before one whose tag is none.
 */
export function imageBeside(region: Region, { documents, whole }: RegionSearch): Image | undefined {
  if (!whole.text.includes('inference-perf')) return undefined;
  const own = tagsIn(region.document.value);
  const others = documents.flatMap(({ document }) => tagsIn(document.value));
  const inText = imageTag(whole.text);
  const tags = [...own, ...others, ...(inText === undefined ? [] : [inText])];
  const tag = tags.find((one) => matchTarget(one) !== undefined) ?? tags[0];
  if (tag === undefined) return undefined;
  const match = matchTarget(tag);
  const inRegion = own.includes(tag) ? placeOf(tag, region.document) : undefined;
  const range = inRegion ? region.toFile(inRegion) : placeOf(tag, whole);
  return { tag, ...(match ? { match } : {}), ...(range ? { range } : {}) };
}

/** In the order of the text. */
function tagsIn(root: unknown): string[] {
  const found: string[] = [];
  const open: unknown[] = [root];
  for (let visited = 0; open.length > 0 && visited < MAX_VISITED; visited += 1) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const tag = Array.isArray(value) ? undefined : tagOf(value as Readonly<Record<string, unknown>>);
    if (tag !== undefined) found.push(tag);
    const inner = Object.values(value);
    for (let index = Math.min(inner.length, MAX_VISITED) - 1; index >= 0; index -= 1) open.push(inner[index]);
  }
  return found;
}

/** `image: name:tag`, or `repository: name` beside `tag: x`; a tag that is empty is left to whoever fills it. */
function tagOf({ image, repository, tag }: Readonly<Record<string, unknown>>): string | undefined {
  const inName = typeof image === 'string' ? IMAGE.exec(image)?.[1] : undefined;
  if (inName !== undefined) return inName;
  const named = typeof repository === 'string' && NAME.test(repository);
  // 0.6 without quotes is a number.
  return named && ((typeof tag === 'string' && tag !== '') || typeof tag === 'number') ? String(tag) : undefined;
}

function placeOf(tag: string, { text, lines }: YamlDocument): TextRange | undefined {
  const escaped = tag.replace(/[^\w]/g, '\\$&');
  const found = new RegExp(`(inference-perf[^\\s:@/]*:|\\btag["']?[ \\t]*:[ \\t]*["']?)${escaped}(?![\\w.-])`).exec(
    text,
  );
  if (!found) return undefined;
  const start = found.index + found[1]!.length;
  return lines.range(start, start + tag.length);
}

/** What is to be said of the image's version; nothing when it is one of ours, or another wish was heard. */
export function imageProblems(image: Image | undefined, { target, from }: TargetChoice): readonly Problem[] {
  if (!image || from === 'option' || from === 'directive') return [];
  const { tag, match, range } = image;
  const base = {
    code: 'CFG024',
    path: [],
    ...(range ? { range } : {}),
    remedy: `Name the version that runs in the config, as in '# isoperf: target=v0.6.1', or give the image that tag. Known: ${KNOWN_TARGETS}.`,
  } as const;
  if (!match) {
    const message = `The tag '${tag}' of the inference-perf image names no version: ${targetName(target)} judges instead.`;
    return [{ ...base, severity: 'warning', message }];
  }
  if (from !== 'image') return [];
  if (match.how === 'unknown') {
    const message = `IsoPerf knows no inference-perf ${tag}, which the image's tag names: ${targetName(target)} judges instead.`;
    return [{ ...base, severity: 'warning', message }];
  }
  if (match.how === 'near') {
    const message = `inference-perf ${tag}, which the image's tag names, is judged as ${target}, the nearest version that IsoPerf knows.`;
    return [{ ...base, severity: 'information', message }];
  }
  if (match.how === 'exact') return [];
  const judged = match.how === 'dated' ? MAIN_IS_DATED : `It is judged as ${targetName(target)}.`;
  const message = `The image's tag '${tag}' is another build from day to day. ${judged}`;
  return [{ ...base, severity: 'information', message }];
}
