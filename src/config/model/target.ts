// Which inference-perf a config is meant for: one of the releases people run, or main.
import type { TextRange } from '../../problem';

/** Oldest first. `main` is upstream's main of 2026-08-19 (7de5ef2): the first that refuses unknown keys, and older than v0.7.0 (2026-09-15). */
export const TARGETS = ['v0.2.0', 'v0.3.0', 'v0.4.0', 'v0.5.0', 'v0.6.0', 'v0.6.1', 'main', 'v0.7.0'] as const;

export type Target = (typeof TARGETS)[number];

export const NEWEST: Target = 'v0.7.0';

/** For sentences: the releases, then main. */
export const KNOWN_TARGETS = [...TARGETS.filter((target) => target !== 'main'), 'main'].join(', ');

/** For messages: main moves, so it is named with the day whose state judges. */
export function targetName(target: Target): string {
  return target === 'main' ? 'main of 2026-08-19' : target;
}

/** main goes on every day; the state of it that judges is older than the newest release. */
export const MAIN_IS_DATED = `inference-perf main is judged as ${targetName('main')}, which is older than ${NEWEST}.`;

export function isTarget(text: string): text is Target {
  return (TARGETS as readonly string[]).includes(text);
}

/** Is what came with `since` there in the target? Without `since` it always was. */
export function has(target: Target, since: string | undefined): boolean {
  if (since === undefined) return true;
  const first = TARGETS.findIndex((known) => known === since);
  return first >= 0 && TARGETS.indexOf(target) >= first;
}

export interface TargetMatch {
  readonly target: Target;
  /**
   * `exact`: one of ours; `dated`: main, which is judged as it was on one day; `moving`: whatever is newest; `near`: another patch or pre-release of one of ours;
   * `unknown`: newer or older than any of ours.
   */
  readonly how: 'exact' | 'dated' | 'moving' | 'near' | 'unknown';
}

/**
 * The target a version means: `v0.6.1`, `0.6.1`, `main`, `latest`. A patch release counts as the release it mends; what is newer
 * than the last known release counts as that, what is older than v0.2.0 as v0.2.0. Undefined when it is no version.
 */
export function matchTarget(version: string): TargetMatch | undefined {
  if (/^(latest|head|nightly)$/i.test(version)) return { target: NEWEST, how: 'moving' };
  if (/^main$/i.test(version)) return { target: 'main', how: 'dated' };
  const exact = TARGETS.find((target) => target === version || target === `v${version}`);
  if (exact) return { target: exact, how: 'exact' };
  const wanted = numbers(version);
  if (!wanted) return undefined;
  const releases = TARGETS.filter((target) => target !== 'main');
  const minor = (of: readonly number[]): readonly number[] => of.slice(0, 2);
  const isNear = releases.some((release) => order(minor(numbers(release)!), minor(wanted)) === 0);
  const how = isNear ? 'near' : 'unknown';
  const below = releases.filter((release) => order(numbers(release)!, wanted) <= 0);
  const best = below.at(-1) ?? releases[0]!;
  const last = numbers(releases.at(-1)!)!;
  const isNewer = order(minor(wanted), minor(last)) > 0;
  return { target: isNewer ? NEWEST : best, how };
}

/** The same without how near it is. */
export function targetOf(version: string): Target | undefined {
  return matchTarget(version)?.target;
}

function numbers(version: string): readonly number[] | undefined {
  const match = /^v?(\d{1,3})\.(\d{1,3})(?:\.(\d{1,3}))?(?:[-+.][\w.-]*)?$/.exec(version);
  return match ? match.slice(1, 4).map((part: string | undefined) => Number(part ?? 0)) : undefined;
}

function order(left: readonly number[], right: readonly number[]): number {
  const different = left.findIndex((value, index) => value !== right[index]);
  return different < 0 ? 0 : left[different]! - right[different]!;
}

/** Where a judgement's target comes from, for messages. */
export interface TargetChoice {
  readonly target: Target;
  readonly from: 'option' | 'directive' | 'image' | 'setting' | 'default';
  /** Of the directive. */
  readonly range?: TextRange;
}

const IMAGE = /^[ \t]*(?:-[ \t]+)?image:[ \t]*["']?[^\s"'#]*inference-perf[^\s"'#:@/]*:([\w.-]+)/m;
const REPOSITORY =
  /^([ \t]*)repository:[ \t]*["']?[^\s"'#]*inference-perf["']?[ \t]*(?:#.*)?\r?\n(?:\1[\w-]+:.*\r?\n){0,4}?\1tag:[ \t]*["']?([\w.-]+)/m;

/** The target that the container image of a Kubernetes manifest or Helm values names; undefined when there is none or no tag. */
export function targetOfImage(text: string): Target | undefined {
  const tag = imageTag(text);
  return tag === undefined ? undefined : targetOf(tag);
}

/** The tag itself, be it a version or not. */
export function imageTag(text: string): string | undefined {
  if (!text.includes('inference-perf')) return undefined;
  return IMAGE.exec(text)?.[1] ?? REPOSITORY.exec(text)?.[2];
}
