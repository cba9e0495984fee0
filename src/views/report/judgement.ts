// What to know of another tool's report before its numbers: violated identities, cautions, assumptions, what is not recorded.
import type { RunManifest } from '../../folder/manifest';
import { stageScopes, type CanonicalReport, type ReportScope } from '../../readers/canonical';
import { counted } from '../../figures';
import { judgeReport, violated } from '../../audit/identities';
import type { Caution } from '../../pitfalls/in-report';
import type { Fact, ReportView, ViewNote } from './model';

/** What the view says of our own runs elsewhere, from their records: percentiles, failures, the client's health. */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(['few-requests', 'failures', 'late-client']);
/** What follows from a run's being stopped: fewer requests, a short stage, a window that is mostly drain. */
const FOLLOWS_FROM_STOP: ReadonlySet<string> = new Set(['CMP010', 'CMP011', 'CMP022']);
/** What a client that could not keep up shows besides: waits before the send, chunks that were read late. */
const FOLLOWS_FROM_CLIENT: ReadonlySet<string> = new Set(['CMP005', 'CMP056']);

/** Of our own report: identities that do not hold (a bug of ours), and signs of pitfalls. One note per cause. */
export function ownNotes(report: CanonicalReport, { state, health }: RunManifest): ViewNote[] {
  const stages = new Map(stageScopes(report).map(([stage, { id }]) => [id, stage]));
  const strained = new Set(health.filter(({ verdict }) => verdict !== 'ok').map(({ stage }) => stage));
  const isExplained = ({ id, scope }: Caution): boolean => {
    if (SAID_ELSEWHERE.has(id)) return true;
    if (FOLLOWS_FROM_STOP.has(id)) return state !== 'complete';
    const stage = stages.get(scope);
    return FOLLOWS_FROM_CLIENT.has(id) && (stage === undefined ? strained.size > 0 : strained.has(stage));
  };
  return seen(report, (caution) => !isExplained(caution));
}

/** Violated identities and cautions, one note per kind, however many parts of the report it is in. */
function seen(report: CanonicalReport, wanted: (caution: Caution) => boolean): ViewNote[] {
  const judgement = judgeReport(report);
  const broken = violated(judgement).map(({ id, scope, message, statement, cause, tolerance, pitfall }) => ({
    key: `${id} ${cause ?? ''}`,
    scope,
    text: message ?? statement,
    // "the cause; the tolerance": what a reader needs to believe it.
    detail: [cause, `Checked: ${statement} (${tolerance})`].filter((part) => part !== undefined).join('. '),
    pitfall,
  }));
  const cautions = judgement.cautions.filter(wanted).map((caution) => ({
    key: caution.id,
    scope: caution.scope,
    text: caution.message,
    detail: undefined,
    pitfall: caution.pitfall,
  }));
  const stages = new Map<string, number | undefined>(stageScopes(report).map(([stage, { id }]) => [id, stage]));
  const parts = new Map(report.scopes.map(({ id, label }) => [id, { label, stage: stages.get(id) }]));
  return [...grouped(broken, parts, 'bad'), ...grouped(cautions, parts, 'caution')];
}

/** Worst first. */
export function judgementNotes(report: CanonicalReport): ViewNote[] {
  return [
    ...seen(report, () => true),
    ...listNote(
      report.ownVerdict ?? [],
      (count) => `${report.tool} says ${counted(count, 'thing')} of this run itself`,
    ),
    ...listNote(
      report.assumptions,
      (count) => `${counted(count, 'thing')} had to be assumed, because the files do not say it`,
    ),
    ...listNote(
      report.notRecorded,
      (count) => `${counted(count, 'thing')} a reader would ask for ${count === 1 ? 'is' : 'are'} not recorded`,
    ),
  ];
}

interface Found {
  readonly key: string;
  readonly scope: string;
  readonly text: string;
  readonly detail: string | undefined;
  readonly pitfall: string | undefined;
}

interface Part {
  readonly label: string;
  readonly stage: number | undefined;
}

function grouped(found: readonly Found[], parts: ReadonlyMap<string, Part>, tone: ViewNote['tone']): ViewNote[] {
  const groups = new Map<string, Found[]>();
  for (const one of found) groups.set(one.key, [...(groups.get(one.key) ?? []), one]);
  return [...groups.values()].map((group) => {
    const [first, ...more] = group as [Found, ...Found[]];
    const name = (scope: string): string => parts.get(scope)?.label ?? scope;
    const stages = [...new Set(group.map(({ scope }) => parts.get(scope)?.stage))];
    const others = [...new Set(more.map(({ scope }) => name(scope)))];
    const also = others.length === 0 ? undefined : `Also in ${others.join(', ')}.`;
    const detail = [first.detail === undefined ? undefined : `${sentence(first.detail)}.`, also]
      .filter(Boolean)
      .join(' ');
    return {
      tone,
      // One part needs no name of its own.
      title: sentence(
        parts.size < 2 || first.text.includes(name(first.scope)) ? first.text : `${name(first.scope)}: ${first.text}`,
      ),
      ...(detail === '' ? {} : { detail }),
      ...(first.pitfall === undefined ? {} : { code: first.pitfall, stages }),
    };
  });
}

function listNote(items: readonly string[], title: (count: number) => string): ViewNote[] {
  return items.length === 0
    ? []
    : [{ tone: 'neutral', title: title(items.length), detail: `${sentence(items.join('; '))}.` }];
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Tool, version class with its evidence, and whatever else the files say of the run. */
export function foreignProvenance(report: CanonicalReport): ReportView['provenance'] {
  const { versionClass } = report;
  const tool = report.toolVersion === undefined ? report.tool : `${report.tool} ${report.toolVersion}`;
  const known: readonly (readonly [string, string | undefined])[] = [
    ['Started', report.startedAt],
    ['Model', report.model],
    ['Endpoint', report.endpoint],
    ['Tokenizer', report.tokenizer],
    ['Seed', report.seed],
  ];
  return [
    {
      title: 'Tool',
      facts: [
        { label: 'Written by', value: tool },
        { label: 'Version', value: versionClass.name, ...evidenceNote(versionClass.evidence) },
        { label: 'run.json', value: 'not in this folder: only what the tool itself recorded is known' },
      ],
    },
    {
      title: 'Run',
      facts: [
        ...known.map(([label, value]): Fact => ({ label, value: value ?? 'not recorded' })),
        ...report.facts.map(({ label, value, source }): Fact => ({ label, value, note: source })),
      ],
    },
    { title: 'Load', facts: report.scopes.filter(({ kind }) => kind !== 'summary').map(loadFact) },
  ].filter(({ facts }) => facts.length > 0);
}

function evidenceNote(evidence: readonly string[]): { readonly note?: string } {
  return evidence.length === 0 ? {} : { note: `recognised by ${evidence.join('; ')}` };
}

function loadFact({ label, load, windowSeconds }: ReportScope): Fact {
  const note = windowSeconds === undefined ? 'window not recorded' : `window from ${windowSeconds.from}`;
  return { label, value: load.words, note };
}

/** "vLLM 0.10, read as: 2025 (no 'failed')", model, endpoint, parts. */
export function foreignIdentity(report: CanonicalReport): string[] {
  const tool = report.toolVersion === undefined ? report.tool : `${report.tool} ${report.toolVersion}`;
  return [
    report.versionClass.name === '' ? tool : `${tool}, read as ${report.versionClass.name}`,
    ...[report.endpoint, report.model].filter((part) => part !== undefined),
    counted(report.scopes.filter(({ kind }) => kind !== 'summary').length || 1, 'part'),
  ];
}
