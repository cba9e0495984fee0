// Were the answers as long on both sides, asked for and realised, over the whole distribution?
import type { ConfigPath } from '../../problem';
import type { Evidence } from '../comparison';
import { ALL, confounds, dimension, same, unknown, type SideEvidence } from '../dimension';
import { inConfig, inManifest, inRecords } from '../evidence';
import { compareLengths, lengthWords, LENGTH_RULE, slightly, type Lengths } from '../lengths';
import { configValue, type Side } from '../side';
import { askedLengths, commonLengths, compareAsked, ownLengths, sameConfigured } from '../workload';
import { stopsDiffer } from './stop-behaviour';

interface AnswerLengths extends SideEvidence {
  readonly realised: Lengths | undefined;
}

const CONFIGURED: readonly ConfigPath[] = [
  ['data', 'output_distribution'],
  ['data', 'shared_prefix', 'output_len'],
  ['data', 'shared_prefix', 'output_distribution'],
];

export const outputLength = dimension<AnswerLengths>({
  id: 'output-length',
  title: 'Answer length',
  question: 'Were the answers of the same length, asked for and realised?',
  tolerance: LENGTH_RULE,
  pitfall: 'CMP036',
  affects: ALL,
  remedy:
    'Give both configs the same data.output_distribution (all five fields) and server.ignore_eos: true, so that every answer has the length asked for.',
  evidence: (side, context) => {
    const common = commonLengths(context, 'output');
    const realised = (side.name === 'A' ? common?.a : common?.b) ?? ownLengths(side, context, 'output');
    const asked = askedLengths(side, context, 'output');
    return {
      realised,
      summary: realised ? lengthWords(realised) : 'not counted',
      evidence: evidenceOf(side, asked, realised, common?.counter),
    };
  },
  judge: (a, b, context) => {
    const common = commonLengths(context, 'output');
    if (!common) return unknown('The realised length of the answers', !!a.realised, !!b.realised);
    const realised = compareLengths(common.a, common.b);
    const asked = compareAsked(context, 'output');
    const configured = sameConfigured(context, CONFIGURED as readonly (readonly string[])[]);
    const differs = realised.differs || (configured === false && realised.apart);
    const by = `(${common.counter})`;
    if (!differs) {
      const how =
        configured === false ? 'Configured differently, realised alike' : 'The same distribution, quantile by quantile';
      return same(`${how} ${by}.`, slightly('answers', realised, by));
    }
    if (asked?.differs !== true && configured !== false && stopsDiffer(context)) {
      return same(`The same lengths were asked for; answers end for different reasons ${by}, see stop-behaviour.`, {
        follows: 'stop-behaviour',
      });
    }
    return confounds(
      `The answers are not of the same length: ${realised.words} tokens ${by}. Longer answers hold their place in the batch longer and move every latency and rate.`,
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
  if (configured.length === 0) configured.push(inConfig(side, ['data', 'output_distribution'], undefined));
  return [
    ...configured,
    asked?.values
      ? inRecords('maxTokens', lengthWords(asked))
      : inManifest('workload.maxTokens', asked && lengthWords(asked)),
    realised && !realised.values
      ? inManifest(`lengths.output (${counter ?? ''})`, lengthWords(realised))
      : inRecords(`realised answer length (${counter ?? 'no common counter'})`, realised && lengthWords(realised)),
  ];
}
