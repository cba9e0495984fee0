// CMP031: Prompts repeat word for word.
import { whole } from '../../figures';
import { numberAt } from '../../readers/readers/values';
import { type Check, round, stagePlans, warning } from '../in-config';
import { dataType, measuredStages, type ReportSign, said } from '../in-report';
import { type Pitfall, RATES } from '../pitfall';

const repeatsInConfig: Check = (loaded) => {
  const { data } = loaded.config;
  if (data.type !== 'shared_prefix' || !data.shared_prefix) return [];
  const prompts = data.shared_prefix.num_groups * data.shared_prefix.num_prompts_per_group;
  const stages = stagePlans(loaded);
  const largest = Math.max(0, ...stages.map((stage) => stage.requests ?? 0));
  const sending = stages.filter((stage) => (stage.requests ?? 0) > 0).length;
  const restsOn = [
    ['data', 'shared_prefix', 'num_groups'],
    ['data', 'shared_prefix', 'num_prompts_per_group'],
    ['load', 'stages'],
  ];
  const path = ['data', 'shared_prefix', 'num_prompts_per_group'];
  if (largest > prompts) {
    const times = round(largest / prompts);
    return [
      warning(path, {
        message: `There are ${prompts} prompts and up to ${largest} requests in a stage: each prompt is sent ${times} times word for word, and the prefix cache answers whole prompts.`,
        restsOn,
      }),
    ];
  }
  if (sending < 2) return [];
  return [
    warning(path, {
      message: `Every stage begins again with the first of the ${prompts} prompts: from the second stage on they are sent again word for word, and the prefix cache answers whole prompts.`,
      restsOn,
    }),
  ];
};

const repeatsInReport: ReportSign = (report) => {
  // Saved configs have the long names.
  const count = (...names: readonly string[]): number | undefined =>
    names.map((name) => numberAt(report.config, 'data', 'shared_prefix', name)).find((value) => value !== undefined);
  const groups = count('num_groups', 'num_unique_system_prompts');
  const each = count('num_prompts_per_group', 'num_users_per_system_prompt');
  if (dataType(report) !== 'shared_prefix' || groups === undefined || each === undefined) return undefined;
  const prompts = groups * each;
  const over = measuredStages(report).find(({ counts }) => (counts.total ?? 0) > prompts);
  if (!over) return undefined;
  return said(
    over.id,
    `${whole(over.counts.total ?? 0)} requests were sent and there were ${whole(prompts)} prompts: the same prompts came again word for word, and a prefix cache answers them`,
  );
};

export const CMP031: Pitfall = {
  code: 'CMP031',
  title: 'Prompts repeat word for word',
  consequence:
    'Once all prompts were sent, and in every later stage, they come again: the server’s prefix cache answers, and TTFT falls with time.',
  remedy:
    'More prompts (num_prompts_per_group x num_groups above the number of requests), or reset the cache between stages.',
  moves: ['ttft', 'request_latency', ...RATES],
  configPaths: ['data.shared_prefix.num_prompts_per_group', 'data.shared_prefix.num_groups'],
  source: 'vLLM documentation: Automatic Prefix Caching',
  inConfig: {
    words:
      'A stage sends more requests than there are prompts; or there are several stages, and each begins again with the first prompt.',
    check: repeatsInConfig,
  },
  inReport: {
    words: 'A stage of shared_prefix has more requests than num_groups x num_prompts_per_group.',
    whole: repeatsInReport,
  },
};
