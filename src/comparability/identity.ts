// Who the two runs are, and what about them no dimension judges but a reader must know.
import type { RunManifest } from '../folder/manifest';
import { distinctPaths } from '../readers/distinct';
import { isDisagreement } from '../audit/in-one-sentence';
import { judgeReport, violated } from '../audit/identities';
import { stateWords } from '../audit/completeness';
import type { Run } from '../readers/run';
import { loadWords } from '../folder/load-words';
import type { ComparedRun } from './comparison';
import { factsOn, loadLabel, type Side } from './side';

export function comparedRun(side: Side): ComparedRun {
  const { run } = side;
  const { manifest } = run;
  const startedAt = factsOn(side).startedAt.value;
  return {
    folder: run.folder,
    name: manifest?.name ?? lastPart(run.folder),
    ...(startedAt === undefined ? {} : { startedAt }),
    tool: run.tool.version === undefined ? run.tool.name : `${run.tool.name} ${run.tool.version}`,
    ...(manifest
      ? {
          endpoint: `${endpointWords(manifest.endpoint)}${manifest.endpoint.kind === 'simulator' ? ' ' : ''}${manifest.endpoint.route}`,
          model: manifest.endpoint.model,
        }
      : recordedEndpoint(side)),
    load: manifest ? loadWords(manifest.stages) : side.stages.map((stage) => loadLabel(stage.load)).join(', '),
    state: stateWords(run),
  };
}

/** What a title calls the two runs: their names, with as much of their folders as tells them apart where the names are one. */
export function runNames(a: ComparedRun, b: ComparedRun): readonly [string, string] {
  if (a.name !== b.name) return [a.name, b.name];
  if (a.folder === b.folder) return [a.name, b.name];
  const places = distinctPaths(a.folder, b.folder);
  const name = ({ name, folder }: ComparedRun, place: string): string =>
    name === lastPart(folder) ? place : `${name} (${place})`;
  return [name(a, places[0]), name(b, places[1])];
}

function recordedEndpoint(side: Side): Pick<ComparedRun, 'endpoint' | 'model'> {
  const facts = factsOn(side);
  const [endpoint, model] = [facts.endpoint.value, facts.model.value];
  return { ...(endpoint === undefined ? {} : { endpoint }), ...(model === undefined ? {} : { model }) };
}

/** The embedded simulator listens on whatever port is free: its address says nothing. */
export function endpointWords({ kind, baseUrl }: RunManifest['endpoint']): string {
  return kind === 'simulator' ? 'embedded simulator' : baseUrl;
}

function lastPart(folder: string): string {
  return folder.split(/[\\/]/).filter(Boolean).at(-1) ?? folder;
}

/** Differences of identity, in words; and what a reader should know of either folder. */
export function identityNotes(a: Side, b: Side): string[] {
  const notes: string[] = [];
  const [x, y] = [a.run.manifest, b.run.manifest];
  if (x && y) {
    if (x.id === y.id) {
      const isWhole = contradictionsOf(a.run).length + contradictionsOf(b.run).length === 0;
      notes.push(
        isWhole && JSON.stringify(x.files) === JSON.stringify(y.files)
          ? 'A and B are the same run: every difference is zero by construction.'
          : 'A and B have the id of one run, and their files are not the same: one of them was changed.',
      );
    }
    const fields: [string, string | undefined, string | undefined][] = [
      ['endpoint', endpointWords(x.endpoint), endpointWords(y.endpoint)],
      ['IsoPerf version', x.tool.version, y.tool.version],
    ];
    for (const [what, left, right] of fields) {
      if (left === right) continue;
      notes.push(
        `The ${what} differs (A: ${left ?? 'not recorded'}, B: ${right ?? 'not recorded'}): the change under test, or one more.`,
      );
    }
  } else if (a.run.tool.name !== b.run.tool.name) {
    notes.push(`The tools differ (A: ${a.run.tool.name}, B: ${b.run.tool.name}): one name may stand for two formulas.`);
  }
  return [...notes, ...folderNotes('A', a.run), ...folderNotes('B', b.run)];
}

function folderNotes(name: 'A' | 'B', run: Run): string[] {
  const serious = run.problems.filter((problem) => problem.severity !== 'information').map(({ message }) => message);
  // Those that belong to a pitfall are listed as that.
  const broken = run.canonical
    ? violated(judgeReport(run.canonical)).flatMap(({ pitfall, scope, message, statement }) =>
        pitfall === undefined ? [`${scope}: ${message ?? statement}`] : [],
      )
    : [];
  return [...serious.slice(0, 5), ...broken.slice(0, 5)].map((text) => `${name}: ${text}`);
}

/** Its own files say it is not what it claims to be. */
export function contradictionsOf({ problems }: Run): readonly string[] {
  return problems.flatMap((problem) =>
    problem.severity === 'error' && isDisagreement(problem) ? [problem.message] : [],
  );
}
