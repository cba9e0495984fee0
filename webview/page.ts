// What every view hands to the frame of the page: its element, and the figures that must be drawn once it is shown.
import type { ChartFigure } from './chart-figure';

export interface Page {
  readonly element: HTMLElement;
  readonly figures: readonly ChartFigure[];
}
