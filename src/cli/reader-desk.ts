// Answers what the extension asks about reports: read and judged here, so that its host only passes messages on.
import { ALIGNABLE } from '../comparability/align';
import { compare } from '../comparability/compare';
import type { Comparison } from '../comparability/comparison';
import { comparisonFileText, parseComparisonFile } from '../comparability/comparison-file';
import { parseCut } from '../comparability/cut';
import { parsePath } from '../config/overrides';
import { parseDocument } from '../config/yaml/document';
import { parseStack, type StackRecord } from '../folder/stack';
import type { Result } from '../problem';
import type { Asks, AskKind, EvidencePlace, KnownResult, Pair, Place, Question, RunLabel } from '../reader-messages';
import { withBeside } from '../readers/beside';
import { readRun } from '../readers/read';
import { withCheck, withRecords } from '../readers/records/attach';
import type { Run } from '../readers/run';
import { comparisonMarkdown } from '../views/comparison/markdown';
import { comparisonView, placeOf } from '../views/comparison/view';
import { reportMarkdown } from '../views/report/markdown';
import { reportView } from '../views/report/view';
import { recogniseResult } from './recognise';
import { openPlace, textOf, type AskFiles } from './reader-files';

export type Desk = { readonly [K in AskKind]: (ask: Asks[K]['ask']) => Promise<Asks[K]['answer']> };

interface Sides {
  readonly a: Run;
  readonly b: Run;
  readonly repeatsA: readonly Run[];
  readonly repeatsB: readonly Run[];
}

/** Keeps the runs of its comparison, so that another question about them is only judged. */
export function readerDesk(askFiles: AskFiles): Desk {
  const known = new Map<string, Run>();
  /** What the view shows: a look at its evidence is no new question. */
  let last: { readonly asked: string; readonly comparison: Comparison } | undefined;

  function judged(sides: Sides, folders: Pair, question: Question): Comparison {
    const asked = JSON.stringify([folders, question]);
    if (last?.asked !== asked) last = { asked, comparison: judge(sides, question) };
    return last.comparison;
  }

  async function side(place: Place, stack: Place | undefined): Promise<Result<Run>> {
    const key = JSON.stringify([place.uri, stack?.uri]);
    const kept = known.get(key);
    if (kept) return { ok: true, value: kept, problems: [] };
    const read = await openSide(place, stack, askFiles);
    if (read.ok) known.set(key, read.value);
    return read;
  }

  async function sidesOf(folders: Pair, { from }: Question): Promise<Result<Sides>> {
    const read = await Promise.all(
      folders.map((folder, i) =>
        Promise.all([folder, ...(from?.repeats[i] ?? [])].map((place) => side(place, from?.stacks[i]))),
      ),
    );
    const problems = read.flat().flatMap((one) => (one.ok ? [] : one.problems));
    if (problems.length > 0) return { ok: false, problems };
    const [[a, ...repeatsA], [b, ...repeatsB]] = read.map((runs) =>
      runs.flatMap((one) => (one.ok ? [one.value] : [])),
    ) as [[Run, ...Run[]], [Run, ...Run[]]];
    return { ok: true, value: { a, b, repeatsA, repeatsB }, problems: [] };
  }

  return {
    async report({ place, alone }) {
      const { access } = await openPlace(place, askFiles);
      const file = place.uri.path.split('/').at(-1)!;
      const read = await readRun(alone ? { ...access, list: () => Promise.resolve([file]) } : access);
      if (!read.ok) return read;
      const run = await withCheck(read.value);
      const view = reportView(run);
      return { ...read, value: { view, markdown: reportMarkdown(view), ...labelled(run) } };
    },

    async comparison({ folders, question }) {
      const read = await sidesOf(folders, question);
      if (!read.ok) return read;
      const { a, b } = read.value;
      const comparison = judged(read.value, folders, question);
      const view = comparisonView(comparison, a, b, question.cut);
      const labels = [labelled(a).label, labelled(b).label] as const;
      return { ok: true, value: { view, markdown: comparisonMarkdown(comparison), labels }, problems: [] };
    },

    async evidence({ folders, question, finding: index, side: only }) {
      const read = await sidesOf(folders, question);
      if (!read.ok) return [];
      const finding = judged(read.value, folders, question).findings[index];
      const places: EvidencePlace[] = [];
      for (const which of only === undefined ? (['a', 'b'] as const) : [only]) {
        const run = read.value[which];
        const evidence = finding && placeOf(finding[which], run);
        if (!evidence) continue;
        const inConfig = evidence.configPath !== undefined && run.configText !== undefined;
        const file = inConfig ? (run.configFile ?? 'config.yaml') : evidence.file;
        // JSON is YAML: one reader finds the place in run.json and in config.yaml alike.
        const path = inConfig ? evidence.configPath : file.endsWith('.json') ? parsePath(evidence.key) : undefined;
        const place = await openPlace(folders[which === 'a' ? 0 : 1], askFiles);
        const text = path && (await place.folder.readText(file));
        const range = path && text !== undefined ? parseDocument(text).range(path) : undefined;
        places.push({ side: which, file: place.isFile ? `../${file}` : file, ...(range ? { range } : {}) });
      }
      return places;
    },

    async recognise({ places }) {
      const found: (KnownResult | undefined)[] = [];
      for (const place of places) found.push(await recogniseResult(place, askFiles));
      return found;
    },

    comparisonFile: ({ text, name }) => Promise.resolve(parseComparisonFile(text, name)),

    comparisonText({ aligned, cut: text, ...file }) {
      const { cut, align } = asAsked(aligned, text);
      return Promise.resolve(comparisonFileText({ ...file, align, ...(cut ? { cut } : {}) }));
    },
  };
}

/** As the command line reads a side: with the stack record and the config that lie beside or above its folder. */
async function openSide(place: Place, stackFile: Place | undefined, askFiles: AskFiles): Promise<Result<Run>> {
  const { access, folder, folderName } = await openPlace(place, askFiles);
  const read = await readRun(access);
  if (!read.ok) return read;
  let given: StackRecord | undefined;
  if (stackFile) {
    const parsed = parseStack(await textOf(stackFile, askFiles), stackFile.uri.path.split('/').at(-1)!, folderName);
    if (!parsed.ok) return parsed;
    given = parsed.value;
  }
  const run = await withBeside(read.value, folder, folderName, given);
  return { ...read, value: await withRecords(run) };
}

function judge({ a, b, repeatsA, repeatsB }: Sides, question: Question): Comparison {
  const { intended, aligned, interpolate = false, from } = question;
  const { cut, align } = asAsked(aligned, question.cut);
  const margins = from?.gate.margins ?? [];
  return compare(a, b, { intended, align, ...(cut ? { cut } : {}), interpolate, repeatsA, repeatsB, margins });
}

function asAsked(aligned: readonly string[], text: string | undefined) {
  const cut = text === undefined ? undefined : parseCut(text);
  return {
    align: ALIGNABLE.filter((one) => aligned.includes(one)),
    cut: typeof cut === 'object' ? cut : undefined,
  };
}

function labelled({ manifest }: Run): { readonly label?: RunLabel } {
  return manifest ? { label: { name: manifest.name, startedAt: manifest.clock.startedAt } } : {};
}
