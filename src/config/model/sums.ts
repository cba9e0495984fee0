// Sums as Python makes them: whether shares add up to exactly 1 depends on how.

/** One after the other, as Python's `sum` did before 3.12. */
export function plainSum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** With what rounding lost put back at the end (Neumaier), as Python's `sum` does for floats since 3.12. */
export function exactSum(values: readonly number[]): number {
  let [sum, lost] = [0, 0];
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return Number.isFinite(lost) ? sum + lost : sum;
}
