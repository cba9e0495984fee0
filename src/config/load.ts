// From a file's text to a config that can be run, with everything that stands in the way (see loader.ts for upstream's own verdict).
import { seedOf, type Seed } from './model/lax';
import { formatPath, type ConfigPath, type Problem, type Result, type TextRange } from '../problem';
import { directivesOf, regionSpan, within } from './yaml/comments';
import type { Directive, Suppression } from './directives';
import type { YamlDocument } from './yaml/document';
import { valueAt, type ModelIssue, type KeyFix } from './model/issues';
import { judgeRun, type Judged } from './judge';
import { applyOverrides, parseOverride, type Override } from './overrides';
import { emptyProblem, orEmpty, partOf, topLevelProblem, withRange } from './loader';
import { markPlaceholders, type FoundPlaceholder } from './placeholders';
import { remember } from './yaml/remember';
import { isPrinted } from './yaml/printed';
import { findRegions, isManifest, type Region, type RegionSearch } from './find/regions';
import { overlap, restsOnOpen, salvage, startsWith } from './model/salvage';
import type { Config } from './model/schema';
import { isFieldName } from './model/suggest';
import type { Target, TargetChoice } from './model/target';
import { jobProblems } from './find/jobs';
import { misplacedSections } from './find/misplaced';
import { imageBeside, imageProblems } from './find/images';
import { chooseTarget, isVersion, targetProblems } from './model/target-choice';
import { judgeValues } from './model/values-of-version';

export interface LoadOptions {
  /** `path=value` texts of --set, in order. */
  readonly overrides?: readonly string[];
  /** For messages only. */
  readonly fileName?: string;
  /** Name of the region to take when a file holds several configs. */
  readonly region?: string;
  /** Nothing will be sent: the address and the names of the server may be open, and where reports and figures go. */
  readonly isPlanOnly?: boolean;
  /** The region is one of all that are judged, not the one somebody asked for. */
  readonly isOneOfAll?: boolean;
  /** Longest text that is read, in characters. An editor must answer between two keystrokes; a command line may take its time. */
  readonly maxText?: number;
  /** Judge as this inference-perf version would, whatever the file says. */
  readonly target?: Target;
  /** The version when neither the file nor `target` names one; otherwise the newest. */
  readonly defaultTarget?: Target;
}

export interface LoadedConfig {
  readonly config: Config;
  /** The YAML the config was read from; its ranges are mapped by `region.toFile`. */
  readonly document: YamlDocument;
  readonly region: Region;
  readonly directives: readonly Directive[];
  readonly suppressions: readonly Suppression[];
  /** Indexes of the stages marked `# isoperf: warmup`. */
  readonly warmupStages: ReadonlySet<number>;
  /** From `# isoperf: seed=N`. */
  readonly seed?: Seed;
  readonly overrides: readonly string[];
  /** The inference-perf version it was judged for. */
  readonly target: Target;
  readonly placeholders: readonly FoundPlaceholder[];
  /** Was the value written, in the text or by --set? Otherwise it is a default. */
  readonly isWritten: (path: ConfigPath) => boolean;
  /** Paths whose values in `config` are only stand-ins, because the model refuses what is written. Such a config is judged, never run. */
  readonly refused?: readonly ConfigPath[];
  /** Place in the file of a key or value; of the nearest written ancestor when it is a default. */
  readonly range: (path: ConfigPath, part?: 'key' | 'value') => TextRange | undefined;
}

/** Everything that can be said about a text, valid or not: what editors need. */
export interface Reading {
  readonly problems: readonly Problem[];
  /** Present when the values fit the model, placeholders standing in for what they will be. */
  readonly loaded?: LoadedConfig;
  /** In place of `loaded` when some values do not fit: what is left of the config, for judgements of the rest. */
  readonly partial?: LoadedConfig;
  readonly search: RegionSearch;
  readonly region?: Region;
  /** The version that was judged for, and who chose it; absent when there was nothing to judge. */
  readonly target?: TargetChoice;
  /** How to mend unknown keys, by problem. */
  readonly fixes: ReadonlyMap<Problem, KeyFix>;
}

/** The config of a text, ready to run; or the errors that stand in the way. Warnings accompany a value. */
export function loadConfig(text: string, options: LoadOptions = {}): Result<LoadedConfig> {
  const reading = readConfig(text, { maxText: MAX_FILE, ...options });
  const loaded = reading.loaded ?? (options.isPlanOnly === true ? reading.partial : undefined);
  const problems = reading.problems.map((problem): Problem => {
    if (options.isPlanOnly === true && isOfSending(problem)) return { ...problem, severity: 'information' };
    // A template may be read and judged; it cannot be run.
    return problem.code === 'CFG009' ? { ...problem, severity: 'error' } : problem;
  });
  if (loaded && !problems.some((problem) => problem.severity === 'error')) return { ok: true, value: loaded, problems };
  return { ok: false, problems };
}

/** What a stream of requests does not depend on. */
const OF_SENDING: readonly ConfigPath[] = [
  ...['base_url', 'model_name', 'api_key', 'cert_path', 'key_path'].map((key) => ['server', key]),
  ['api', 'headers'],
  ['storage'],
  ['metrics'],
  ['tokenizer', 'token'],
];

function isOfSending({ code, path }: Problem): boolean {
  return code === 'CFG011' || OF_SENDING.some((open) => startsWith(path, open));
}

/** All there is to know about a text, or about one of its configs. Never throws. */
export function readConfig(text: string, options: LoadOptions = {}): Reading {
  return remembered(text, options);
}

/** One reading for each config of a file; one of the file itself when it holds none, so that it can be judged. */
export function readConfigs(text: string, options: LoadOptions = {}): readonly Reading[] {
  const first = readConfig(text, options);
  const { regions } = first.search;
  if (regions.length < 2 || options.region !== undefined) return [first];
  return regions.map((region) => readConfig(text, { ...options, region: region.name, isOneOfAll: true }));
}

/** For command lines. */
export const MAX_FILE = 4_000_000;

const remembered = remember(8, read, (options: LoadOptions) => JSON.stringify(options));

function read(text: string, options: LoadOptions): Reading {
  const search = findRegions(text, options.maxText);
  const chosen = chooseRegion(search, options);
  if ('problems' in chosen) return { problems: chosen.problems, search, fixes: new Map() };
  return readRegion(chosen.region, search, options);
}

function chooseRegion(
  search: RegionSearch,
  options: LoadOptions,
): { region: Region } | { problems: readonly Problem[] } {
  const { whole, blocks, regions } = search;
  const name = options.fileName ?? 'The file';
  const names = regions.map((region) => region.name);
  if (options.region !== undefined) {
    const found = regions.find((region) => region.name === options.region);
    if (found) return { region: found };
    const known = names.length === 0 ? 'it holds no config' : `it holds ${names.join(', ')}`;
    return { problems: [plain('CFG010', `${name} has no region '${options.region}'; ${known}.`)] };
  }
  const [only, second] = regions;
  if (only && second)
    return {
      problems: [
        plain(
          'CFG010',
          `${name} holds ${regions.length} configs: ${names.join(', ')}.`,
          'Say which one with --region NAME.',
        ),
      ],
    };
  if (only) return { region: only };
  const [manifest] = search.documents.map(({ document }) => document.value).filter(isManifest);
  if (manifest) return { problems: [noConfigIn(name, manifest)] };
  const syntax = whole.problems.filter((problem) => problem.severity === 'error');
  if (syntax.length > 0) {
    const long = options.maxText === undefined && syntax.every((problem) => problem.code === 'YML002');
    return { problems: long ? syntax.map(tooLong) : whole.problems };
  }
  const values = orEmpty(whole.value);
  const top = topLevelProblem(values);
  if (top) return { problems: [...whole.problems, withRange(top, whole.range([]))] };
  const keys = Object.keys(values as object);
  if (keys.length > 0 && !keys.some(isFieldName))
    return {
      problems: [
        plain(
          'CFG010',
          `${name} holds no inference-perf config: none of its keys (${keys.slice(0, 3).join(', ')}) belongs to one.`,
          'A config has sections such as load:, data: and server:.',
        ),
      ],
    };
  // No wrapper and little to recognise: the file itself is judged, and says what is missing or unknown.
  return { region: { kind: 'file', name: '', document: whole, prefix: [], blocks, toFile: (range) => range } };
}

function noConfigIn(name: string, { kind }: Readonly<Record<string, unknown>>): Problem {
  const what = typeof kind === 'string' ? `a Kubernetes ${kind}` : 'a Kubernetes object';
  return plain(
    'CFG010',
    `${name} holds no inference-perf config: it is ${what}, and no text in it is one.`,
    'A config in it is a text with sections such as load:, data: and server:, e.g. under data: of a ConfigMap.',
  );
}

/** In an editor a long text is no mistake; it is only not read at every keystroke. */
function tooLong(problem: Problem): Problem {
  const remedy = "'isoperf validate' reads it.";
  return { ...problem, severity: 'information', message: 'This file is too long to be judged while you type.', remedy };
}

function plain(code: string, message: string, remedy?: string): Problem {
  const problem: Problem = { code, severity: 'error', path: [], message };
  return remedy === undefined ? problem : { ...problem, remedy };
}

function readRegion(region: Region, search: RegionSearch, options: LoadOptions): Reading {
  const { document, prefix } = region;
  const inside = regionSpan(region);
  const yaml = document.problems
    .filter((problem) => problem.code !== 'YML010' && within(problem.range, inside))
    // The loader takes a repeated key in silence; nobody can mean it, so it stops a run.
    .map((problem): Problem => (problem.code === 'YML007' ? { ...problem, severity: 'error' } : problem))
    .map((problem) => (problem.range ? { ...problem, range: region.toFile(problem.range) } : problem));
  const place = placer(region);
  const overrides: Override[] = [];
  const given: Problem[] = [];
  for (const text of options.overrides ?? []) {
    const parsed = parseOverride(text);
    if ('code' in parsed) given.push(parsed);
    else overrides.push(parsed);
  }
  const applied = applyOverrides(orEmpty(valueAt(document.value, prefix)), overrides);
  given.push(...applied.problems);
  const marked = markPlaceholders(applied.values);
  const reading = directivesOf(region, inside);
  const image = imageBeside(region, search);
  const choice = chooseTarget(reading.directives, image, options);
  const verdict = judgeValues(marked.values, choice.target);
  const fixes = new Map<Problem, KeyFix>();
  const blocks = (region.blocks ?? []).map((block) => blockProblem(block, region));
  const locate = (problem: Problem): Problem =>
    markOverride(withRange(problem, place(problem.path, partOf(problem))), overrides);
  const isTagged = yaml.some((problem) => problem.code === 'YML006');
  const empty = emptyProblem(valueAt(document.value, prefix), choice.target);
  const paths = marked.found.map((found) => found.path);
  // Unknown blocks and lost values may hold anything: then nothing is said of what is left.
  const isWhole = blocks.length === 0 && verdict.more === 0 && yaml.every((problem) => SOUND.has(problem.code));
  const rescued = verdict.config || !isWhole ? undefined : salvage(marked.values, choice.target, verdict.findings);
  const shape = [...verdict.findings, ...(rescued?.findings ?? [])]
    .filter(
      (finding) =>
        !restsOnOpen(finding, paths) &&
        !(blocks.length > 0 && finding.rule === 'missing') &&
        !(isTagged && isPrinted(document, [...prefix, ...finding.problem.path])),
    )
    .map((finding) => locateFinding(finding, locate, fixes));
  const open = [...blocks, ...marked.found.map((found) => locate(placeholderProblem(found)))];
  const always = [
    ...secondDocument(region, search, options),
    ...yaml,
    ...given,
    ...(empty ? [locate(empty)] : []),
    ...shape,
    ...open,
    ...reading.problems,
    ...targetProblems(reading.directives, choice),
    ...imageProblems(image, choice),
    ...misplacedSections(region),
  ];
  const config = verdict.config ?? rescued?.config;
  const refused = rescued?.refused ?? [];
  const isWritten = (path: ConfigPath): boolean => valueAt(applied.values, path) !== undefined;
  const judged = config ? judgeRun(config) : { found: [], more: 0 };
  const more = document.more + marked.more + reading.more + verdict.more + judged.more;
  const rest = more === 0 ? [] : [moreProblem(more)];
  if (!config) return { problems: [...always, ...rest], search, region, target: choice, fixes };
  const run = judged.found
    .filter(
      (each) =>
        // What is missing may stand in a block that is not filled in yet.
        blocks.length === 0 && isKnown(each, [...paths, ...refused]) && !isPerhapsMisnamed(each, refused, isWritten),
    )
    .map(({ problem }) => locate(problem));
  run.push(...jobProblems(config, search));
  const known = reading.directives.filter(
    (directive) =>
      isVersion(directive) && (directive.path.length === 0 || Number(directive.path[2]) < config.load.stages.length),
  );
  const seed = known.find((directive) => directive.name === 'seed')?.value;
  const loaded: LoadedConfig = {
    config,
    document,
    region,
    directives: known,
    suppressions: reading.suppressions,
    warmupStages: new Set(
      known.filter((directive) => directive.name === 'warmup').map((directive) => Number(directive.path[2])),
    ),
    ...(seed === undefined ? {} : { seed: seedOf(seed) }),
    overrides: options.overrides ?? [],
    target: choice.target,
    placeholders: marked.found,
    isWritten,
    ...(rescued ? { refused } : {}),
    range: place,
  };
  const which = rescued ? { partial: loaded } : { loaded };
  return { problems: [...always, ...run, ...rest], ...which, search, region, target: choice, fixes };
}

/** What the loader holds against a file whose config is one of several documents; whoever asked for that one by name knows. */
function secondDocument(region: Region, { whole }: RegionSearch, options: LoadOptions): readonly Problem[] {
  if (region.kind !== 'document') return [];
  const isAskedFor = options.region !== undefined && options.isOneOfAll !== true;
  return whole.problems
    .filter(({ code }) => code === 'YML004')
    .map((problem): Problem => (isAskedFor ? { ...problem, severity: 'warning' } : problem));
}

function locateFinding(
  finding: ModelIssue,
  locate: (problem: Problem) => Problem,
  fixes: Map<Problem, KeyFix>,
): Problem {
  const problem = locate(finding.problem);
  if (finding.fix && Object.keys(finding.fix).length > 0) fixes.set(problem, finding.fix);
  return problem;
}

const LONG_NAMES: ReadonlyMap<string | number, string> = new Map([
  ['num_groups', 'num_unique_system_prompts'],
  ['num_prompts_per_group', 'num_users_per_system_prompt'],
]);

/** Ranges of config paths in the file. Both spellings of an aliased key are tried. */
function placer(region: Region): (path: ConfigPath, part?: 'key' | 'value') => TextRange | undefined {
  const { document, prefix } = region;
  return (path, part) => {
    const other = path.map((step) => LONG_NAMES.get(step) ?? step);
    const full = document.locate([...prefix, ...path]) ? path : other;
    const range = document.range([...prefix, ...full], part);
    return range && region.toFile(range);
  };
}

function markOverride(problem: Problem, overrides: readonly Override[]): Problem {
  const source = overrides.find((override) => startsWith(problem.path, override.path));
  if (!source) return problem;
  const { code, severity, path, remedy } = problem;
  // Only the path: what was given may be a secret.
  const message = `${problem.message} (From --set ${formatPath(source.path)}.)`;
  return { code, severity, path, message, ...(remedy === undefined ? {} : { remedy }) };
}

/** Problems of the YAML beside which all values are there. */
const SOUND = new Set(['YML007', 'YML012']);

/** Does a judgement rest on nothing that is open or refused? */
function isKnown({ problem, restsOn: others }: Judged, open: readonly ConfigPath[]): boolean {
  return ![problem.path, ...others].some((path) => open.some((other) => overlap(path, other)));
}

/** What is missed may be there under a name that nobody knows. */
function isPerhapsMisnamed(
  { problem: { path } }: Judged,
  refused: readonly ConfigPath[],
  isWritten: (path: ConfigPath) => boolean,
): boolean {
  if (path.length < 2 || isWritten(path)) return false;
  const section = path.slice(0, -1);
  return refused.some((other) => other.length === path.length && startsWith(other, section));
}

function blockProblem(block: NonNullable<Region['blocks']>[number], { document, toFile }: Region): Problem {
  const start = document.lines.lineStart(block.line);
  const indent = document.lines.line(block.line).search(/\S|$/);
  const message = `A whole block is to be filled: '${block.text}' is a placeholder, and what will stand there is not judged.`;
  const range = toFile(document.lines.range(start + indent, start + document.lines.line(block.line).length));
  return {
    code: 'CFG009',
    severity: 'information',
    path: [],
    message,
    remedy: 'Render the template before the run.',
    range,
  };
}

/** The last line of a long list. */
function moreProblem(count: number): Problem {
  const message = `${count} more finding${count === 1 ? '' : 's'} of these kinds ${count === 1 ? 'is' : 'are'} not listed.`;
  return {
    code: 'CFG023',
    severity: 'information',
    path: [],
    message,
    remedy: 'Mend the ones that are; the rest follows.',
  };
}

function placeholderProblem(found: FoundPlaceholder): Problem {
  return {
    code: 'CFG009',
    severity: 'information',
    path: found.path,
    message: `${formatPath(found.path)} is to be filled: '${found.name}' is a placeholder, not a value.`,
    remedy: `Fill it in, or run with --set ${formatPath(found.path)}=...`,
  };
}
