// CMP035: ignore_eos decides what is generated.
import { shortAnswers } from '../asked';
import { type Check, warning } from '../in-config';
import { lifecycleOnly, said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const endOfText: Check = ({ config }) =>
  config.server?.type === 'tgi' && config.server.ignore_eos
    ? [
        warning(['server', 'ignore_eos'], {
          message: 'tgi does not know ignore_eos: answers end where the model ends them, shorter than asked.',
        }),
      ]
    : [];

const modelEnds: Sign = (scope, report) => {
  const short = shortAnswers(scope, report);
  if (!short?.mayEnd) return undefined;
  const why = short.isTgi ? 'tgi does not know ignore_eos' : 'ignore_eos is off';
  return said(scope.id, `${short.figures}: answers end where the model ends them (${why})`);
};

export const CMP035: Pitfall = {
  code: 'CMP035',
  title: 'ignore_eos decides what is generated',
  consequence:
    'On (the default), answers run to max_tokens with text no user would see; off, they end by themselves. Some servers ignore the flag, and tgi does not know it.',
  remedy: 'Same flag on both sides; check realised output lengths and finish reasons.',
  moves: ['tpot', 'itl', 'ntpot', 'request_latency', 'output_tokens_per_sec', 'total_tokens_per_sec'],
  configPaths: ['server.ignore_eos'],
  source: 'inference-perf: inference_perf/client/modelserver/openai_client.py',
  inConfig: { words: 'server.type is tgi and ignore_eos is on.', check: endOfText },
  inReport: {
    words: 'Answers are a tenth shorter than asked, with ignore_eos off or with tgi.',
    parts: [lifecycleOnly(modelEnds)],
  },
};
