// A small seeded stream of numbers for fixtures.

/** Numerical Recipes' 32-bit linear congruence: enough to look irregular, and the same everywhere. */
export class Draw {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.state / 2 ** 32;
  }
}
