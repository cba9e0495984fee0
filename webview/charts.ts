// Draws one ChartView on a canvas. The only file that knows chart.js; everything it shows is also in the chart's table.
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
  type ChartConfiguration,
  type ChartDataset,
  type Plugin,
  type ScaleOptionsByType,
} from 'chart.js';
import type { ChartAxis, ChartSeries, ChartView } from '../src/views/report/model';
import { colourOf, styleOf } from './series';
import { faded, readPalette, type Palette } from './theme';

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

export interface DrawnChart {
  /** Draws again: other data, another selected stage, another theme. */
  draw(view: ChartView, stage: number | undefined): void;
  remove(): void;
}

type Mixed = ChartConfiguration<'line' | 'bar'>;
type Dataset = ChartDataset<'line' | 'bar', { x: number; y: number | null }[]>;

export function createChart(canvas: HTMLCanvasElement): DrawnChart {
  let chart: Chart | undefined;
  return {
    draw(view, stage) {
      const config = configure(view, stage, readPalette());
      // A chart of another type cannot be updated in place; a live one must be, or it would jump.
      if (chart && sameShape(chart, config)) {
        chart.data = config.data;
        chart.options = config.options as Chart['options'];
        chart.update('none');
        return;
      }
      chart?.destroy();
      chart = new Chart(canvas, config);
    },
    remove() {
      chart?.destroy();
      chart = undefined;
    },
  };
}

function sameShape(chart: Chart, config: Mixed): boolean {
  const bands = (config.plugins ?? []).length === 0 && (chart.config.plugins ?? []).length === 0;
  return bands && chart.data.datasets.length === config.data.datasets.length && !hasBars(config);
}

function hasBars(config: Mixed): boolean {
  return config.data.datasets.some((set) => set.type === 'bar');
}

function configure(view: ChartView, stage: number | undefined, palette: Palette): Mixed {
  const band = stage === undefined ? undefined : view.bands.find((candidate) => candidate.stage === stage);
  const xAxis = band ? { ...view.x, min: band.from, max: band.to } : view.x;
  return {
    type: 'line',
    data: {
      ...(view.x.categories ? { labels: [...view.x.categories] } : {}),
      datasets: view.series.map((series) => dataset(series, view.x.categories !== undefined, stage, palette)),
    },
    plugins: view.bands.length > 0 ? [bandsPlugin(view, palette)] : [],
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      interaction: { mode: 'nearest', axis: 'x', intersect: false },
      font: { family: palette.fontFamily, size: palette.fontSize - 2 },
      scales: {
        x: scale(xAxis, palette, false, view.stacked === true),
        y: scale({ min: 0, ...view.y }, palette, true, view.stacked === true),
      },
      plugins: { tooltip: tooltip(view, palette) },
    },
  } as Mixed;
}

function dataset(series: ChartSeries, isNamed: boolean, stage: number | undefined, palette: Palette): Dataset {
  const style = styleOf(series);
  const steppedBack = stage !== undefined && series.stage !== undefined && series.stage !== stage;
  const full = colourOf(style, palette);
  const colour = steppedBack ? faded(full, 0.25) : full;
  const drawn = series.x.map((x, index) => ({ x, y: series.y[index] ?? null }));
  // A share of requests starts at none of them: so one value alone is a line, too.
  const [first] = drawn;
  const points = series.draw === 'steps' && first ? [{ x: first.x, y: 0 }, ...drawn] : drawn;
  if (series.draw === 'bars') {
    return {
      type: 'bar',
      label: series.name,
      data: points,
      backgroundColor: faded(colour, 0.75),
      borderColor: colour,
      borderWidth: 1,
      maxBarThickness: 26,
      categoryPercentage: points.length <= 2 ? 0.35 : 0.75,
    };
  }
  const scattered = series.draw === 'points';
  // A point between two gaps has no line to show it.
  const alone = (index: number): boolean =>
    series.draw === 'line' && (series.y[index - 1] ?? null) === null && (series.y[index + 1] ?? null) === null;
  return {
    type: 'line',
    label: series.name,
    data: points,
    showLine: !scattered,
    stepped: series.draw === 'steps' ? 'before' : false,
    borderColor: colour,
    backgroundColor: scattered ? faded(colour, points.length < 300 ? 0.8 : 0.4) : colour,
    pointBorderColor: scattered ? 'transparent' : colour,
    borderDash: [...style.dash],
    borderWidth: steppedBack ? 1 : 1.75,
    pointStyle: style.point,
    pointRadius: scattered
      ? 2
      : ({ dataIndex }: { readonly dataIndex: number }) => (isNamed || alone(dataIndex) ? 3 : 0),
    pointHoverRadius: 4,
    spanGaps: false,
    order: scattered ? 1 : 0,
  };
}

function scale(axis: ChartAxis, palette: Palette, isY: boolean, stacked: boolean): Partial<ScaleOptionsByType> {
  const font = { family: palette.fontFamily, size: palette.fontSize - 2 };
  return {
    type: axis.categories ? 'category' : 'linear',
    stacked,
    ...(axis.min === undefined ? {} : { min: axis.min }),
    ...(axis.max === undefined ? {} : { max: axis.max }),
    ...(isY ? { beginAtZero: true, grace: '6%' } : {}),
    title: { display: true, text: axis.label, color: palette.faint, font, padding: 2 },
    grid: { color: palette.grid, drawTicks: false, display: isY || !axis.categories },
    border: { color: palette.grid },
    ticks: {
      color: palette.foreground,
      font,
      padding: 6,
      maxRotation: 0,
      autoSkipPadding: 12,
      ...(axis.whole === true ? { precision: 0 } : {}),
      callback: (value: number | string) =>
        axis.categories ? category(axis.categories, Number(value)) : short(Number(value)),
    },
  } as unknown as Partial<ScaleOptionsByType>;
}

/** Names side by side up to so many; beyond, their numbers stand for them. */
const FEW_NAMES = 6;

/** "2: 10 rps (warm-up)" on two lines, so that its neighbours have room; of many stages "2". */
function category(names: readonly string[], index: number): string | string[] {
  const name = names[index] ?? '';
  const number = /^(\d+): /.exec(name)?.[1];
  return names.length > FEW_NAMES && number !== undefined ? number : name.split(/ (?=\()/);
}

function tooltip(view: ChartView, palette: Palette): object {
  const font = { family: palette.fontFamily, size: palette.fontSize - 1 };
  return {
    backgroundColor: palette.hoverBackground,
    titleColor: palette.hoverForeground,
    bodyColor: palette.hoverForeground,
    borderColor: palette.hoverBorder,
    borderWidth: 1,
    cornerRadius: 2,
    titleFont: font,
    bodyFont: font,
    usePointStyle: true,
    callbacks: {
      title: (items: readonly { parsed: { x: number }; label: string }[]) => {
        const first = items[0];
        if (!first) return '';
        return view.x.categories ? first.label : `${view.x.label}: ${short(first.parsed.x)}`;
      },
      label: (item: { dataset: { label?: string }; parsed: { y: number } }) =>
        `${item.dataset.label ?? ''}: ${short(item.parsed.y)}`,
    },
  };
}

/** Shades and names stretches of the x axis (stages, warm-up) behind the data. */
function bandsPlugin(view: ChartView, palette: Palette): Plugin {
  return {
    id: 'bands',
    beforeDatasetsDraw(chart) {
      const { ctx, chartArea: area, scales } = chart;
      const x = scales['x'];
      if (!x) return;
      ctx.save();
      ctx.font = `${palette.fontSize - 3}px ${palette.fontFamily}`;
      ctx.textBaseline = 'top';
      for (const band of view.bands) {
        const left = Math.max(area.left, x.getPixelForValue(band.from));
        const right = Math.min(area.right, x.getPixelForValue(band.to));
        if (right <= left) continue;
        if (band.shaded) {
          ctx.fillStyle = palette.shade;
          ctx.fillRect(left, area.top, right - left, area.bottom - area.top);
        }
        ctx.strokeStyle = palette.grid;
        ctx.strokeRect(left, area.top, 0, area.bottom - area.top);
        ctx.fillStyle = palette.faint;
        if (ctx.measureText(band.label).width < right - left - 6) ctx.fillText(band.label, left + 4, area.top + 3);
      }
      ctx.restore();
    },
  };
}

/** Three significant digits with grouped thousands, for axes and hovers. */
function short(value: number): string {
  if (!Number.isFinite(value)) return '';
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}
