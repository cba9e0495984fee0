// A growing column of numbers: what statistics are made of when records come one by one and are not kept.
import { sortFinite } from './statistics';

const FIRST_CAPACITY = 256;

/** Owns its memory: 8 bytes a value. Adding after `sorted` is allowed; the order of the values then is not that of adding. */
export class Values {
  private held = new Float64Array(FIRST_CAPACITY);
  private count = 0;
  private isSorted = true;

  get length(): number {
    return this.count;
  }

  /** Undefined is a value that was not measured, and is left out. */
  add(value: number | undefined): void {
    if (value === undefined) return;
    if (this.count === this.held.length) {
      const larger = new Float64Array(this.held.length * 2);
      larger.set(this.held);
      this.held = larger;
    }
    this.held[this.count++] = value;
    this.isSorted = false;
  }

  /** A view, valid until the next `add`. */
  view(): Float64Array {
    return this.held.subarray(0, this.count);
  }

  /** Ascending view, sorted in place. Throws for values that are not finite: those are a bug of the caller. */
  sorted(): Float64Array {
    const view = this.view();
    if (!this.isSorted) sortFinite(view);
    this.isSorted = true;
    return view;
  }
}
