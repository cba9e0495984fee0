// Were the prompts as long on both sides, configured and realised, over the whole distribution?
import type { ConfigPath } from '../../problem';
import type { Evidence } from '../comparison';
import { ALL, confounds, dimension, same, unknown, type SideEvidence } from '../dimension';
import { inConfig, inManifest, inRecords } from '../evidence';
import { compareLengths, lengthWords, LENGTH_RULE, slightly, type Lengths } from '../lengths';
import { configValue, type Side } from '../side';
import { askedLengths, commonLengths, compareAsked, ownLengths, sameConfigured } from '../workload';
import { endpointsDiffer } from './endpoint-mode';

interface PromptLengths extends SideEvidence {
  readonly realised: Lengths | undefined;
}

const CONFIGURED: readonly ConfigPath[] = [
  ['data', 'type'],
  ['data', 'input_distribution'],
  ['data', 'shared_prefix', 'system_prompt_len'],
  ['data', 'shared_prefix', 'question_len'],
  ['data', 'shared_prefix', 'question_distribution'],
];

export const inputLength = dimension<PromptLengths>({
  id: 'input-length',
  title: 'Prompt length',
  question: 'Were the prompts of the same length, asked for and realised?',
  tolerance: LENGTH_RULE,
  pitfall: 'CMP025',
  affects: ALL,
  remedy:
    'Give both configs the same data section with all five fields of data.input_distribution (min, max, mean, std_dev, type).',
  evidence: (side, context) => {
    const common = commonLengths(context, 'prompt');
    const realised = (side.name === 'A' ? common?.a : common?.b) ?? ownLengths(side, context, 'prompt');
    const asked = askedLengths(side, context, 'prompt');
    return {
      realised,
      summary: realised ? lengthWords(realised) : 'not recorded',
      evidence: evidenceOf(side, asked, realised, common?.counter),
    };
  },
  judge: (a, b, context) => {
    const common = commonLengths(context, 'prompt');
    if (!common) return unknown('The realised length of the prompts', !!a.realised, !!b.realised);
    const realised = compareLengths(common.a, common.b);
    const asked = compareAsked(context, 'prompt');
    const configured = sameConfigured(context, CONFIGURED as readonly (readonly string[])[]);
    const differs = realised.differs || (configured === false && realised.apart);
    const by = `(${common.counter})`;
    if (!differs) {
      const how =
        configured === false ? 'Configured differently, realised alike' : 'The same distribution, quantile by quantile';
      return same(`${how} ${by}.`, slightly('prompts', realised, by));
    }
    if (asked?.differs !== true && endpointsDiffer(context) && (asked !== undefined || configured === true)) {
      return same(
        `The prompts asked for are alike; what the server adds around them differs ${by}, see endpoint-mode.`,
        {
          follows: 'endpoint-mode',
        },
      );
    }
    return confounds(
      `The prompts are not of the same length: ${realised.words} tokens ${by}. Longer prompts take longer to read and fill the server’s memory.`.replace(
        ' tokens (bytes of the request)',
        ' (bytes of the request)',
      ),
    );
  },
});

function evidenceOf(
  side: Side,
  asked: Lengths | undefined,
  realised: Lengths | undefined,
  counter: string | undefined,
): Evidence[] {
  const configured = CONFIGURED.flatMap((path) => {
    const value = configValue(side.run, path);
    return value === undefined || value === null ? [] : [inConfig(side, path, value)];
  });
  if (configured.length === 0) configured.push(inConfig(side, ['data', 'input_distribution'], undefined));
  return [
    ...configured,
    asked?.values
      ? inRecords('askedPromptTokens', lengthWords(asked))
      : inManifest('workload.askedPromptTokens', asked && lengthWords(asked)),
    realised && !realised.values
      ? inManifest(`lengths.prompt (${counter ?? ''})`, lengthWords(realised))
      : inRecords(`realised prompt length (${counter ?? 'no common counter'})`, realised && lengthWords(realised)),
  ];
}
