// Signs of measuring and recording pitfalls in one report: what is missing, miscounted, or not what its name says (CMP052 to CMP087).
import { measureOf, statisticOf, type ReportScope } from '../../readers/canonical';
import { duration, percent, significant, whole } from '../../figures';
import { at, isObject, numberAt, textAt } from '../../readers/readers/values';
import { hiddenTokens, streams } from './data';
import { lifecycleOnly, said, type ReportSign, type Sign } from './sign';

const notStreamed: Sign = (scope) => {
  if (streams(scope) || (scope.counts.ok ?? 0) === 0 || !measureOf(scope, 'e2e') || scope.kind === 'adapter')
    return undefined;
  return said(
    'CMP052',
    scope.id,
    'there is no TTFT, TPOT or ITL: the answers were not streamed, and NTPOT, which contains the first token’s time, is no TPOT',
  );
};

const visibleText: Sign = (scope) => {
  const hidden = hiddenTokens(scope);
  const client = statisticOf(scope, 'ttft', 'mean');
  const server = scope.server && measureOf(scope.server, 'ttft')?.stats['mean'];
  if (hidden === undefined || client === undefined || server === undefined || client < 1.3 * server) return undefined;
  return said(
    'CMP054',
    scope.id,
    `TTFT is ${duration(client)} for the client and ${duration(server)} for the server, which counts ${significant(hidden)} tokens per answer that the client never saw: it waits for visible text`,
  );
};

const COMMON = [50, 90, 95, 99] as const;

const percentiles: Sign = (scope) => {
  const stats = measureOf(scope, 'e2e')?.stats;
  if (!stats || scope.kind === 'adapter') return undefined;
  const missing = COMMON.filter((percentile) => !(`p${percentile}` in stats));
  if (missing.length === 0) return undefined;
  const names = missing.map((percentile) => (percentile === 50 ? 'the median' : `p${percentile}`));
  return said(
    'CMP063',
    scope.id,
    `${names.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not in the report: missing, which is not 0`,
  );
};

const goodputTime: Sign = (scope) => {
  const good = scope.goodput?.stats['request_goodput'];
  const rate = statisticOf(scope, 'requests_per_sec', 'value');
  if (good === undefined || rate === undefined || good <= rate * 1.001) return undefined;
  return said(
    'CMP067',
    scope.id,
    `${significant(good)} good requests/s of ${significant(rate)} requests/s: goodput is over a shorter time than the rate`,
  );
};

const emptySuccess: Sign = (scope, report) => {
  const stats = measureOf(scope, 'output_tokens')?.stats;
  const [least, low, middle] = [stats?.['min'], stats?.['p1'], stats?.['p50']];
  if ((scope.counts.ok ?? 0) === 0 || statisticOf(scope, 'output_tokens', 'max') === 0) return undefined;
  if (least === 0)
    return said(
      'CMP069',
      scope.id,
      'an answer without a single token is among the successes: a stream that broke off, or an error inside a 200 answer',
    );
  if (at(report.config, 'server', 'ignore_eos') !== true || low === undefined || middle === undefined) return undefined;
  if (low >= 0.1 * middle) return undefined;
  return said(
    'CMP069',
    scope.id,
    `one answer in a hundred has ${significant(low)} tokens, the median ${significant(middle)}, although ignore_eos was sent: streams that broke off count as successes`,
  );
};

const nullContent: Sign = (scope, report) => {
  const failed = labelled(scope, /typeerror/i);
  const chat = textAt(report.config, 'api', 'type') === 'chat' && at(report.config, 'api', 'streaming') === false;
  if (failed === 0 || !chat) return undefined;
  return said(
    'CMP070',
    scope.id,
    `${whole(failed)} failures are TypeErrors, with chat and streaming off: answers without text (tool calls, reasoning) count as failed`,
  );
};

const twoTimeouts: Sign = (scope) => {
  const [one, other] = [labelled(scope, /^timeout$/i), labelled(scope, /^timeouterror$/i)];
  if (one === 0 || other === 0) return undefined;
  return said(
    'CMP071',
    scope.id,
    `timeouts are under two labels, ${whole(one)} and ${whole(other)}: together ${whole(one + other)}`,
  );
};

function labelled({ extras }: ReportScope, label: RegExp): number {
  return Object.entries(extras?.failureLabels ?? {})
    .filter(([name]) => label.test(name))
    .reduce((sum, [, count]) => sum + count, 0);
}

const chunks: Sign = (scope) => {
  const [gap, tpot] = [statisticOf(scope, 'chunk_gap', 'mean'), statisticOf(scope, 'tpot', 'mean')];
  if (gap === undefined || tpot === undefined || tpot <= 0 || gap < 1.3 * tpot) return undefined;
  if (gap < 1.3 * tpot * clientSurplus(scope)) return undefined;
  return said(
    'CMP087',
    scope.id,
    `chunks are ${duration(gap)} apart and a token takes ${duration(tpot)}: about ${significant(gap / tpot)} tokens come in one chunk, and the gap is no time between tokens`,
  );
};

/** How many of the client's tokens are one of the server's: more tokens make a shorter time per token, and no fuller chunk. */
function clientSurplus({ measures }: ReportScope): number {
  const mean = (by: string): number =>
    measures.find(({ quantity, definition }) => quantity === 'output_tokens' && definition.tokens === by)?.stats[
      'mean'
    ] ?? NaN;
  const surplus = (mean('client') - 1) / (mean('server') - 1);
  const byClient = measures.find(({ quantity }) => quantity === 'tpot')?.definition.tokens === 'client';
  return byClient && surplus > 0 && Number.isFinite(surplus) ? surplus : 1;
}

const askedForNone: Sign = (scope, report) => {
  const { server, counts } = scope;
  if (!server || (counts.ok ?? 0) === 0 || (server.count ?? 0) > 0 || !server.zeros.includes('count')) return undefined;
  if (textAt(report.config, 'server', 'model_name') !== undefined || !report.config) return undefined;
  return said(
    'CMP074',
    scope.id,
    `${server.file} is all zeros, and the config names no model: Prometheus was asked for the model "None"`,
  );
};

const sweepWindow: Sign = (scope, report) => {
  if (scope.kind !== 'summary' || !scope.server || !isObject(at(report.config, 'load', 'sweep'))) return undefined;
  return said(
    'CMP076',
    scope.id,
    `${scope.server.file} is over the sweep’s probe and its pauses too: its rates are too low`,
  );
};

const mock: Sign = (scope, report) => {
  const configured = textAt(report.config, 'server', 'type') === 'mock';
  const [mean, longest, tokens] = [
    statisticOf(scope, 'e2e', 'mean'),
    statisticOf(scope, 'e2e', 'max'),
    statisticOf(scope, 'output_tokens', 'max'),
  ];
  const looks = mean !== undefined && Math.abs(mean - 1) < 0.01 && (longest ?? 1) < 1.1 && tokens === 0;
  if (!configured && !looks) return undefined;
  const how = configured ? 'server.type is mock' : 'every request took 1.00 s and no answer has a token';
  return said('CMP081', scope.id, `${how}: no model was measured`);
};

const bareNumbers: ReportSign = ({ bareNumbers: files }) =>
  files &&
  said(
    'CMP075',
    'summary',
    `${files.join(', ')}: a bare NaN or Infinity, which is not JSON, or a number beyond all range; it is read as missing`,
  );

const adapters: ReportSign = (report) => {
  const parts = report.scopes.filter(({ kind, counts }) => kind === 'adapter' && counts.total !== undefined);
  const split = at(report.config, 'load', 'lora_traffic_split');
  if (parts.length < 2 || !Array.isArray(split)) return undefined;
  const all = parts.reduce((sum, { counts }) => sum + (counts.total ?? 0), 0);
  const shares = parts.map(({ label, counts }) => `${label} ${percent((counts.total ?? 0) / Math.max(1, all))}`);
  return said('CMP077', 'summary', `requests went to ${shares.join(', ')}: the shares are drawn anew in each run`);
};

/** What inference-perf writes into its copy of the config that nobody wrote. */
const mutated: ReportSign = ({ config, tool }) => {
  if (tool !== 'inference-perf' || !config) return undefined;
  const stages = at(config, 'load', 'stages');
  const list = Array.isArray(stages) ? stages : [];
  const closed = textAt(config, 'load', 'type') === 'concurrent';
  const signs = [
    ...(closed && list.some((stage) => numberAt(stage, 'rate') !== undefined) ? ['its closed stages have a rate'] : []),
    ...(isObject(at(config, 'load', 'sweep')) && list.length === 0
      ? ['the stages that its sweep ran are not in it']
      : []),
  ];
  if (signs.length === 0) return undefined;
  return said(
    'CMP078',
    'summary',
    `config.yaml is a record, not what was written: ${signs.join(', and ')}. Running it again is another run`,
  );
};

const sessions: ReportSign = (report) => {
  for (const { file, stage, status, sessions: seen } of report.sessions ?? []) {
    const scope = stage === undefined ? 'summary' : `stage ${stage}`;
    const planned = stage === undefined ? undefined : numberAt(report.config, 'load', 'stages', stage, 'num_sessions');
    if (planned !== undefined && seen !== undefined && seen < planned)
      return said(
        'CMP082',
        scope,
        `${file} has ${whole(seen)} sessions of ${whole(planned)} that were planned: the success ratio leaves out the others`,
      );
    if (status !== undefined && status !== 'COMPLETED')
      return said(
        'CMP082',
        scope,
        `the stage ended as ${status}: sessions that were cut off are in no denominator of ${file}`,
      );
  }
  return undefined;
};

const cacheFigures: ReportSign = (report) => {
  const found = report.sessions?.find(
    ({ sessions: all, withCacheInfo }) =>
      all !== undefined && all > 0 && withCacheInfo !== undefined && withCacheInfo < all,
  );
  if (!found) return undefined;
  return said(
    'CMP083',
    found.stage === undefined ? 'summary' : `stage ${found.stage}`,
    `the server reported cached tokens for ${whole(found.withCacheInfo ?? 0)} of ${whole(found.sessions ?? 0)} sessions: for the others the share is not measured, which is not 0 %`,
  );
};

export const MEASURED_SIGNS: readonly Sign[] = [
  visibleText,
  chunks,
  twoTimeouts,
  ...[notStreamed, percentiles, goodputTime, emptySuccess, nullContent, askedForNone, sweepWindow, mock].map(
    lifecycleOnly,
  ),
];
export const MEASURED_REPORT_SIGNS: readonly ReportSign[] = [bareNumbers, adapters, mutated, sessions, cacheFigures];
