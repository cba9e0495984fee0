// Each request's own difference in words and as a chart: how many pairs there are, what they have in common, how B differs.
import type { Comparison, ComparedRequests, OwnDifference } from '../../comparability/comparison';
import { percent as share, significant, signed, whole } from '../../figures';
import { spokenLabel } from '../../metrics/quantities';
import type { ChartGroup, ChartView } from '../report/model';

/** "Request by request: 380 pairs answered on both sides; ..." and a line per quantity; none where requests are no pairs. */
export function requestLines(comparison: Comparison, stage: number): string[] {
  const own = comparison.requests?.find((requests) => requests.stage === stage);
  if (!own?.pairs) return [];
  return [pairWords(own.pairs), ...own.differences.map((difference) => differenceLine(comparison, stage, difference))];
}

function pairWords({ answered, unmatchedA, unmatchedB, failed }: NonNullable<ComparedRequests['pairs']>): string {
  const left = [
    ...(unmatchedA > 0 ? [`${whole(unmatchedA)} of A`] : []),
    ...(unmatchedB > 0 ? [`${whole(unmatchedB)} of B`] : []),
  ];
  const alone = left.length === 0 ? 'none is without a counterpart' : `${left.join(' and ')} without a counterpart`;
  const lost = failed === 0 ? 'none failed' : `${whole(failed)} not answered on both sides`;
  return `Request by request: ${whole(answered)} pairs; left out: ${alone}, ${lost}.`;
}

function differenceLine({ metrics }: Comparison, stage: number, own: OwnDifference): string {
  const row = metrics.find((one) => one.stage === stage && one.metric === own.metric && one.statistic === 'mean');
  const { interval, paired } = row?.difference ?? {};
  const half = ({ low, high }: { readonly low: number; readonly high: number }): string =>
    `±${significant((high - low) / 2)}`;
  // The row may be printed in another unit than the differences are.
  const widths = !interval
    ? ''
    : paired?.together === true && paired.apart
      ? `; the mean ${half(interval)} ${row!.unit} in pairs, ${half(paired.apart)} as two samples`
      : `; the mean ${half(interval)} ${row!.unit}, as two samples: nothing cancels in pairs`;
  const alike = own.correlation === undefined ? '' : `; correlation ${correlationText(own.correlation)}`;
  return `${own.label}: ${sentence(own)}${alike}${widths}.`;
}

/** "B less A is +0.30 ms in the median, 90 % between −1.0 and +2.2 ms; longer on B in 63 % of 380 pairs". */
function sentence(own: OwnDifference): string {
  const [low, middle, high] = [5, 50, 95].map((percent) => figure(atPercent(own, percent)));
  return `B less A is ${middle} ${own.unit} in the median, 90 % between ${low} and ${high} ${own.unit}; longer on B in ${share(own.longerOnB)} of ${whole(own.n)} pairs`;
}

/** Two digits after the point, with the sign that figures have. */
export function correlationText(correlation: number): string {
  return `${correlation < 0 ? '−' : ''}${Math.abs(correlation).toFixed(2)}`;
}

function atPercent({ at }: OwnDifference, percent: number): number {
  return at.find((one) => one.percent === percent)!.difference;
}

function figure(value: number): string {
  return signed(value, significant);
}

const TABLE_PERCENTS: readonly number[] = [0, 5, 25, 50, 75, 95, 100];

/** Absent where no stage's requests are pairs. */
export function requestCharts({ requests = [], stages }: Comparison): ChartGroup {
  const choices = requests.flatMap(({ stage, differences }) =>
    differences.map((own): ChartView => {
      const label = stages.length > 1 ? `${own.label} at ${stages[stage]?.label ?? ''}` : own.label;
      return {
        label,
        sentence: `Each request’s own ${spokenLabel(own)}: ${sentence(own)}.`,
        x: { label: `${own.label} on B less on A, ${own.unit}` },
        y: { label: '% of pairs', min: 0, max: 100 },
        series: [
          {
            name: 'B less A',
            tone: 'b',
            draw: 'line',
            x: own.at.map(({ difference }) => difference),
            y: own.at.map(({ percent }) => percent),
          },
          { name: 'no difference', tone: 'reference', draw: 'line', x: [0, 0], y: [0, 100] },
        ],
        bands: [],
        table: {
          head: [
            `B less A, ${own.unit}`,
            ...TABLE_PERCENTS.map((percent) => (percent === 0 ? 'min' : percent === 100 ? 'max' : `p${percent}`)),
            'pairs',
          ],
          rows: [[own.label, ...TABLE_PERCENTS.map((percent) => figure(atPercent(own, percent))), whole(own.n)]],
        },
      };
    }),
  );
  return { id: 'requests', title: 'Each request’s own difference', choices };
}
