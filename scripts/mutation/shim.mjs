// Stands in for 'vitest' in a bundled test: collects describe, it and hooks, so that the same tests can run again and again.
import { expect, expectTypeOf, vi } from 'vitest';

let suite;

export function collect() {
  suite = newSuite('', undefined);
  return suite;
}

const newSuite = (name, parent) => ({ name, parent, items: [], before: [], after: [], beforeEach: [], afterEach: [] });
const nothing = () => undefined;

function withVariants(add) {
  const variants = {
    each:
      (table) =>
      (name, ...rest) => {
        for (const [index, row] of [...table].entries()) {
          const values = Array.isArray(row) ? row : [row];
          const body = rest.find((each) => typeof each === 'function');
          add(`${name} #${index}`, () => body(...values));
        }
      },
    skip: nothing,
    todo: nothing,
    skipIf: (yes) => (yes ? Object.assign(nothing, { each: () => nothing }) : withVariants(add)),
    runIf: (yes) => variants.skipIf(!yes),
  };
  return Object.assign(
    (name, ...rest) =>
      add(
        name,
        rest.find((each) => typeof each === 'function'),
      ),
    variants,
  );
}

export const describe = withVariants((name, body) => {
  const outer = suite;
  suite = newSuite(String(name), outer);
  outer.items.push(suite);
  body();
  suite = outer;
});
export const it = withVariants((name, body) => suite.items.push({ name: String(name), body }));
export const beforeAll = (body) => suite.before.push(body);
export const afterAll = (body) => suite.after.push(body);
export const beforeEach = (body) => suite.beforeEach.push(body);
export const afterEach = (body) => suite.afterEach.push(body);
export { expect, expectTypeOf, vi };
