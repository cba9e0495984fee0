// Long work in slices: between two of them signals and timers run, progress is shown, and a stop is heard.

/** Milliseconds of work between two rests. */
const SLICE_MS = 40;

export interface PaceOptions {
  /** Called now and then, so that a long preparation can be shown. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Asked now and then; true ends the work. */
  readonly isStopped?: (() => boolean) | undefined;
}

/** Owns the time since the last rest. */
export class Pace {
  private sliceStart = performance.now();

  constructor(private readonly options: PaceOptions) {}

  get isDue(): boolean {
    return performance.now() - this.sliceStart > SLICE_MS;
  }

  /** False: the work is no longer wanted. */
  async rest(done: number, total: number): Promise<boolean> {
    this.options.onProgress?.(done, total);
    await new Promise((resolve) => setImmediate(resolve));
    this.sliceStart = performance.now();
    return this.options.isStopped?.() !== true;
  }
}
