// How a series looks: one colour, dash and point shape per meaning, the same in every chart and legend.
import type { ChartSeries, SeriesTone } from '../src/views/report/model';
import type { Palette } from './theme';

export type PointShape = 'circle' | 'triangle' | 'rect' | 'rectRot' | 'cross';
type Hue = keyof Palette['series'] | 'faint';

export interface SeriesStyle {
  readonly hue: Hue;
  readonly dash: readonly number[];
  readonly point: PointShape;
}

const NAMED: Readonly<Record<Exclude<SeriesTone, number>, SeriesStyle>> = {
  // The colours of A and B never mean percentiles.
  p50: { hue: 'green', dash: [], point: 'circle' },
  p95: { hue: 'purple', dash: [6, 3], point: 'triangle' },
  p99: { hue: 'red', dash: [2, 3], point: 'rect' },
  a: { hue: 'blue', dash: [], point: 'circle' },
  b: { hue: 'orange', dash: [6, 3], point: 'triangle' },
  asked: { hue: 'faint', dash: [6, 3], point: 'rectRot' },
  reference: { hue: 'faint', dash: [2, 3], point: 'cross' },
  sample: { hue: 'blue', dash: [], point: 'circle' },
};

const CYCLE: readonly SeriesStyle[] = [
  { hue: 'blue', dash: [], point: 'circle' },
  { hue: 'orange', dash: [6, 3], point: 'triangle' },
  { hue: 'green', dash: [2, 3], point: 'rect' },
  { hue: 'purple', dash: [8, 3, 2, 3], point: 'rectRot' },
  { hue: 'red', dash: [12, 3], point: 'cross' },
  { hue: 'yellow', dash: [4, 4], point: 'circle' },
];

export function styleOf(series: ChartSeries): SeriesStyle {
  if (typeof series.tone !== 'number') return NAMED[series.tone];
  return CYCLE[series.tone % CYCLE.length] ?? NAMED.p50;
}

export function colourOf(style: SeriesStyle, palette: Palette): string {
  return style.hue === 'faint' ? palette.faint : palette.series[style.hue];
}
