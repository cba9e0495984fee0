// CMP066: Goodput leaves out failures and ignores unknown limits.
import { significant, whole } from '../../figures';
import { type Check, warning } from '../in-config';
import { said, type Sign } from '../in-report';
import type { Pitfall } from '../pitfall';

const GOODPUT_KEYS = ['ttft', 'tpot', 'itl', 'ntpot', 'request_latency'];

const STREAMED_KEYS = ['ttft', 'tpot', 'itl'];

const goodputLimits: Check = ({ config }) => {
  const limits = config.report.goodput?.constraints;
  if (!limits) return [];
  const base = ['report', 'goodput', 'constraints'];
  const unknown = Object.keys(limits)
    .filter((key) => !GOODPUT_KEYS.includes(key))
    .map((key) =>
      warning([...base, key], {
        message: `'${key}' is not a limit inference-perf knows, so every request meets it.`,
        remedy: `Known: ${GOODPUT_KEYS.join(', ')}.`,
      }),
    );
  const blind = Object.keys(limits).filter((key) => STREAMED_KEYS.includes(key));
  if (config.api.streaming || blind.length === 0) return unknown;
  return [
    ...unknown,
    warning(base, {
      message: `Without streaming there is no ${blind.join(', ')}, so no request meets the limit and goodput is 0 %.`,
      remedy: 'Set api.streaming: true.',
    }),
  ];
};

const ofSuccesses: Sign = (scope) => {
  const { failed, ok } = scope.counts;
  const share = scope.goodput?.stats['goodput_percentage'];
  const good = scope.goodput?.stats['good_requests'];
  // Of no success there is no share.
  if (share === undefined || failed === undefined || ok === undefined || failed === 0 || ok === 0) return undefined;
  const all = ok + failed;
  const honest = good === undefined ? (share * ok) / all : (good / all) * 100;
  return said(
    scope.id,
    `goodput is ${significant(share)} % of the successes, and ${significant(honest)} % when the ${whole(failed)} failures count`,
    'goodput',
  );
};

export const CMP066: Pitfall = {
  code: 'CMP066',
  title: 'Goodput leaves out failures and ignores unknown limits',
  consequence:
    'The share is of successes only; a limit with an unknown name counts as met, and without streaming TTFT, TPOT and ITL limits give 0 %.',
  remedy: 'Use only ttft, tpot, itl, ntpot, request_latency; recompute good / (ok + failed).',
  moves: ['request_goodput'],
  configPaths: ['report.goodput', 'report.goodput.constraints'],
  source: 'inference-perf: docs/goodput.md',
  inConfig: {
    words: 'Unknown constraint keys; or limits on TTFT, TPOT or ITL without streaming.',
    check: goodputLimits,
  },
  inReport: { words: 'A goodput stands beside failures.', parts: [ofSuccesses] },
};
