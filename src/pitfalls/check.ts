// All findings about a config text: what is wrong with it (config room) and what its numbers could not be compared for (the catalogue).
import { type LoadOptions, type LoadedConfig, type Reading, readConfigs } from '../config/load';
import type { Target } from '../config/model/target';
import { type ConfigPath, type Problem, type RelatedPlace, formatPath } from '../problem';
import { pitfallByCode } from './catalogue';
import type { Check, Hit } from './in-config';
import { PITFALLS } from './list';
import type { Pitfall } from './pitfall';
import { watch } from './watch';

/** Pitfalls that a config shows by itself, as warnings and information. Suppressed ones are left out. */
export function configPitfalls(loaded: LoadedConfig): readonly Problem[] {
  const silent = new Set<string>(loaded.suppressions.flatMap((suppression) => suppression.codes));
  return PITFALLS.flatMap((pitfall) =>
    pitfall.inConfig === undefined || silent.has(pitfall.code)
      ? []
      : hitsOf(pitfall.inConfig.check, loaded)
          .filter((hit) => !restsOnPlaceholder(hit, loaded))
          .map((hit) => toProblem(pitfall, hit, loaded)),
  );
}

/** Of a config with refused values only what looked at none of them. */
function hitsOf(check: Check, loaded: LoadedConfig): readonly Hit[] {
  if (loaded.refused === undefined) return check(loaded);
  const watched = watch(loaded, loaded.refused);
  const hits = check(watched.loaded);
  return watched.touched() ? [] : hits;
}

function restsOnPlaceholder(hit: Hit, loaded: LoadedConfig): boolean {
  return [...(hit.ofAnyValue ? [] : [hit.path]), ...(hit.restsOn ?? [])].some((path) =>
    loaded.placeholders.some((placeholder) => startsWith(placeholder.path, path) || startsWith(path, placeholder.path)),
  );
}

function startsWith(path: ConfigPath, start: ConfigPath): boolean {
  return path.length >= start.length && start.every((step, index) => step === path[index]);
}

function toProblem({ code, consequence, remedy }: Pitfall, hit: Hit, loaded: LoadedConfig): Problem {
  const range = loaded.range(hit.path, 'value');
  const related = relatedPlaces(hit, loaded);
  return {
    code,
    severity: hit.severity,
    path: hit.path,
    message: hit.message ?? consequence,
    remedy: hit.remedy ?? remedy,
    ...(range === undefined ? {} : { range }),
    ...(related.length === 0 ? {} : { related }),
  };
}

/** What else is written that decides it; the place itself and what it is part of are no news. */
function relatedPlaces({ path, restsOn = [] }: Hit, loaded: LoadedConfig): readonly RelatedPlace[] {
  return restsOn.flatMap((other): RelatedPlace[] => {
    if (startsWith(path, other) || startsWith(other, path) || !loaded.isWritten(other)) return [];
    const range = loaded.range(other, 'value');
    if (!range) return [];
    const value = valueOf(loaded.config, other);
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    const words = isPlain ? `is ${value}` : 'decides it too';
    return [{ path: other, message: `${formatPath(other)} ${words}`, range }];
  });
}

function valueOf(root: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>((here, step) => (here as Record<string | number, unknown> | undefined)?.[step], root);
}

/** What editors and `validate` show of one reading. */
function findingsOfReading(reading: Reading): readonly Problem[] {
  const { loaded = reading.partial, problems } = reading;
  return loaded ? [...problems, ...unknownSuppressions(loaded), ...configPitfalls(loaded)] : problems;
}

/** A code that does not exist silences nothing, and its writer believes otherwise. */
function unknownSuppressions({ suppressions }: LoadedConfig): readonly Problem[] {
  return suppressions.flatMap(({ codes, range }) =>
    codes
      .filter((code) => pitfallByCode(code) === undefined)
      .map((code): Problem => ({
        code: 'CFG022',
        severity: 'warning',
        path: [],
        message: `There is no pitfall ${code}, so disabling it has no effect.`,
        remedy: `The codes go from ${PITFALLS[0]!.code} to ${PITFALLS.at(-1)!.code}: see docs/pitfalls.md.`,
        range,
      })),
  );
}

/** Reads a text and gives all findings; a file that holds several configs is judged config by config. Never throws. */
export function configFindings(text: string, options: LoadOptions = {}): readonly Problem[] {
  return judgeConfigs(text, options).problems;
}

/** The same, with the inference-perf versions that the configs were judged for. */
export function judgeConfigs(
  text: string,
  options: LoadOptions = {},
): { readonly problems: readonly Problem[]; readonly targets: readonly Target[] } {
  const readings = readConfigs(text, options);
  const all = readings.flatMap(findingsOfReading);
  const problems =
    readings.length < 2
      ? all
      : all.filter((problem, index) => all.findIndex((other) => samePlace(other, problem)) === index);
  return { problems, targets: [...new Set(readings.flatMap((reading) => reading.target?.target ?? []))] };
}

function samePlace(left: Problem, right: Problem): boolean {
  return (
    left.code === right.code &&
    left.message === right.message &&
    left.range?.startLine === right.range?.startLine &&
    left.range?.startColumn === right.range?.startColumn
  );
}
