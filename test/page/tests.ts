// The page floor's list: every view in every theme, by mouse, by keyboard, narrow and wide, under its real policy.
import type { Browser } from 'playwright-core';
import { comparisonTests } from './comparison.tests';
import { liveTests } from './live.tests';
import { reportTests } from './report.tests';

export interface PageTest {
  readonly name: string;
  readonly body: (browser: Browser) => Promise<void>;
}

export const PAGE_TESTS: readonly PageTest[] = [...reportTests, ...comparisonTests, ...liveTests];
