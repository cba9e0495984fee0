// CMP068: SLO headers override the goodput limits.
import { type Check, note } from '../in-config';
import { isSloHeader } from '../names';
import { type Between, type Facts, shown, text, value, where } from '../pair';
import type { Pitfall } from '../pitfall';

const sloInHeaders: Check = ({ config: { api, report } }) => {
  if (!report.goodput?.constraints) return [];
  const { slo_ttft_header: ttft, slo_tpot_header: tpot, headers } = api;
  const overriding = Object.keys(headers ?? {}).find((name) => isSloHeader(name) || name === ttft || name === tpot);
  return overriding === undefined ? [] : [note(['api', 'headers', overriding])];
};

function sloOf(facts: Facts): string {
  const headers = Object.entries((value(facts, ['api', 'headers']) ?? {}) as Record<string, unknown>);
  const names = ['slo_ttft_header', 'slo_tpot_header'].flatMap((key) => text(facts, ['api', key]) ?? []);
  const limits = headers
    .filter(([name]) => isSloHeader(name) || names.includes(name))
    .map(([name, limit]) => `${name.toLowerCase()} ${shown(limit)}`)
    .sort();
  return [...limits, ...(limits.length > 0 ? [shown(value(facts, ['api', 'slo_unit']))] : [])].join(', ');
}

const sloHeaders: Between = (pair) => {
  const goodput = where(pair, (facts) => value(facts, ['report', 'goodput']) !== undefined);
  const [x, y] = [sloOf(pair.a), sloOf(pair.b)];
  if (goodput === undefined || x === y) return undefined;
  return `good requests are judged by SLO headers: ${x || 'none'} on A, ${y || 'none'} on B`;
};

export const CMP068: Pitfall = {
  code: 'CMP068',
  title: 'SLO headers override the goodput limits',
  consequence:
    'x-slo-ttft and x-slo-tpot headers set the limit per request: two runs with equal constraints may judge by different ones.',
  remedy: 'Compare the headers too, or drop them.',
  moves: ['request_goodput'],
  configPaths: ['api.headers', 'api.slo_ttft_header', 'api.slo_tpot_header', 'api.slo_unit'],
  source: 'inference-perf: docs/goodput.md',
  inConfig: {
    words: 'api.headers has x-slo-* or the configured SLO headers while goodput is on.',
    check: sloInHeaders,
  },
  between: { words: 'The SLO headers differ, and goodput is on.', look: sloHeaders },
};
