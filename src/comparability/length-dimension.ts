// The two length dimensions have one shape: configured, asked for and realised, under one counter, quantile by quantile.
import { jsonText } from '../figures';
import type { ConfigPath } from '../problem';
import type { DimensionId, Evidence } from './comparison';
import {
  ALL,
  confounds,
  dimension,
  same,
  unknown,
  type Context,
  type Dimension,
  type Judgement,
  type SideEvidence,
} from './dimension';
import { measureOf } from '../readers/canonical';
import { inFact, inManifest, inRecords, inReport, inSetting } from './evidence';
import { compareLengths, lengthWords, LENGTH_RULE, LENGTH_SLACK, slightly, type Lengths } from './lengths';
import { settingOf, type Side } from './side';
import { askedLengths, commonLengths, compareAsked, ownLengths, sameConfigured } from './workload';

interface LengthEvidence extends SideEvidence {
  readonly realised: Lengths | undefined;
}

/** What is known of the lengths when they differ. */
export interface LengthFacts {
  /** Undefined: not both sides record what was asked for. */
  readonly askedDiffers: boolean | undefined;
  /** Undefined: there is nothing that both configs say. */
  readonly configuredAlike: boolean | undefined;
  /** The counter, in brackets. */
  readonly by: string;
}

export interface LengthDimension {
  readonly id: Extract<DimensionId, 'input-length' | 'output-length'>;
  readonly title: string;
  readonly question: string;
  readonly pitfall: string;
  readonly remedy: string;
  readonly which: 'prompt' | 'output';
  /** Keys of a config that set the lengths. */
  readonly configured: readonly ConfigPath[];
  readonly askedKey: 'askedPromptTokens' | 'maxTokens';
  /** "prompts", "answers". */
  readonly things: string;
  readonly thing: string;
  /** A side nobody counted. */
  readonly uncounted: string;
  readonly consequence: string;
  /** When the difference follows from another dimension's. */
  readonly follows: (context: Context, facts: LengthFacts) => Judgement | undefined;
}

export function lengthDimension(spec: LengthDimension): Dimension {
  const { id, title, question, pitfall, remedy, which } = spec;
  return dimension<LengthEvidence>({
    id,
    title,
    question,
    tolerance: LENGTH_RULE,
    pitfall,
    affects: ALL,
    remedy,
    evidence: (side, context) => {
      const common = commonLengths(context, which);
      const realised = (side.name === 'A' ? common?.a : common?.b) ?? ownLengths(side, context, which);
      return {
        realised,
        summary: realised ? lengthWords(realised) : spec.uncounted,
        evidence: evidenceOf(spec, side, askedLengths(side, context, which), realised, common?.counter),
      };
    },
    judge: (a, b, context) => judge(spec, a, b, context),
  });
}

function judge(spec: LengthDimension, a: LengthEvidence, b: LengthEvidence, context: Context): Judgement {
  const { which, things } = spec;
  const common = commonLengths(context, which);
  if (!common) return unknown(`The realised length of the ${things}`, !!a.realised, !!b.realised);
  const realised = compareLengths(common.a, common.b, common.one ? 0 : LENGTH_SLACK);
  const configuredAlike = sameConfigured(context, spec.configured);
  const by = `(${common.counter})`;
  if (realised.open && configuredAlike !== false) {
    return {
      state: 'unknown',
      message: `The ${things} are not of the same length: ${realised.words} tokens ${by}; of how many requests is not in the files, so it may be chance.`,
    };
  }
  if (!realised.differs && !(configuredAlike === false && realised.apart)) {
    const how =
      configuredAlike === false
        ? 'Configured differently, realised alike'
        : hasQuantiles(common.a) && hasQuantiles(common.b)
          ? 'The same distribution, quantile by quantile'
          : 'The same length in the mean, which is all that both files say';
    const notes = [askedNote(spec, context, configuredAlike), slightly(things, realised, by)].filter(
      (note) => note !== '',
    );
    return same(`${how} ${by}.`, notes.length > 0 ? { note: notes.join(' ') } : {});
  }
  const askedDiffers = compareAsked(context, which)?.differs;
  const follows = spec.follows(context, { askedDiffers, configuredAlike, by });
  if (follows) return follows;
  const unit = common.counter.startsWith('bytes') ? '' : ' tokens';
  const asked = askedDiffers === true || configuredAlike === false ? { pitfall: 'CMP100' } : {};
  return confounds(
    `The ${things} are not of the same length: ${realised.words}${unit} ${by}. ${spec.consequence}`,
    asked,
  );
}

function hasQuantiles({ summary }: Lengths): boolean {
  return summary.p50 !== undefined;
}

/** What two configs ask for differently is named, however little it is. */
function askedNote(
  { things, configured }: LengthDimension,
  { a, b }: Context,
  configuredAlike: boolean | undefined,
): string {
  if (configuredAlike !== false) return '';
  const [x, y] = [a, b].map(({ run }) =>
    configured.flatMap((path) => {
      const { value } = settingOf(run, path);
      return value === undefined ? [] : [`${path.map(String).join('.')} ${jsonText(value)}`];
    }),
  );
  return `The configs ask for other lengths of the ${things}: ${x!.join(', ')} on A, ${y!.join(', ')} on B.`;
}

/** A summary is read in our own manifest, or in the report of the tool that made it. */
function inSummary(side: Side, which: 'prompt' | 'output', counter: string | undefined, realised: Lengths): Evidence {
  const by = counter === undefined ? '' : ` (${counter})`;
  const words = lengthWords(realised);
  if (side.run.manifest) return inManifest(side, `lengths.${which}${by}`, words);
  const scopes = side.run.canonical?.scopes ?? [];
  const [only, ...others] = side.stages;
  const scope =
    (others.length === 0 ? scopes.find(({ stage }) => stage !== undefined && stage === only?.id) : undefined) ??
    scopes.find(({ kind }) => kind === 'summary') ??
    scopes[0];
  const source = scope && measureOf(scope, which === 'prompt' ? 'prompt_tokens' : 'output_tokens')?.source;
  return inReport(
    source?.file ?? scope?.file ?? side.run.files[0] ?? 'report',
    `${source?.key ?? `${which} length`}${by}`,
    words,
  );
}

function evidenceOf(
  { which, configured: paths, askedKey, thing }: LengthDimension,
  side: Side,
  asked: Lengths | undefined,
  realised: Lengths | undefined,
  counter: string | undefined,
): Evidence[] {
  const configured = paths.flatMap((path) => {
    const setting = settingOf(side.run, path);
    return setting.value === undefined ? [] : [inFact(setting)];
  });
  if (configured.length === 0) {
    configured.push(inSetting(side, ['data', which === 'prompt' ? 'input_distribution' : 'output_distribution']));
  }
  return [
    ...configured,
    asked?.values
      ? inRecords(side, askedKey, lengthWords(asked))
      : inManifest(side, `workload.${askedKey}`, asked && lengthWords(asked)),
    realised && !realised.values
      ? inSummary(side, which, counter, realised)
      : inRecords(
          side,
          `realised ${thing} length (${counter ?? 'no common counter'})`,
          realised && lengthWords(realised),
        ),
  ];
}
