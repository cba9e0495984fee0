// The comparison view in Chromium.
import assert from 'node:assert/strict';
import { openView } from './harness';
import { ALIGNED, COMPARED, SWEPT } from './samples';
import type { ThemeName } from './themes';
import type { PageTest } from './tests';

const kind = 'comparison';

export const comparisonTests: readonly PageTest[] = [
  ...(['dark', 'light', 'high-contrast'] as const).map((theme: ThemeName) => ({
    name: `comparison: verdict first, then what confounds, accessible in the ${theme} theme`,
    async body(browser: Parameters<PageTest['body']>[0]) {
      const view = await openView(browser, { kind, message: COMPARED, theme });
      await view.page.getByRole('heading', { level: 2, name: 'Not comparable: confounded' }).waitFor();
      const states = await view.page
        .locator('.finding-group')
        .evaluateAll((groups) => groups.map((group) => (group as HTMLElement).dataset['state']));
      assert.deepEqual(states, ['confounds', 'unknown', 'same']);
      assert.equal(await view.page.locator('details.finding-group .finding').first().isVisible(), false);
      assert.deepEqual(await view.accessibility(), []);
      await view.shot(`page-comparison-${theme}`);
      await view.shot(`page-comparison-${theme}-full`, { fullPage: true });
      await view.close();
    },
  })),
  {
    name: 'comparison: both values stand side by side with their place, and a click opens it',
    async body(browser) {
      const view = await openView(browser, { kind, message: COMPARED });
      const finding = view.page.locator('.finding').first();
      await finding.getByText('one warm-up stage, 100 requests excluded').waitFor();
      await finding.getByText('config.yaml: load.stages[0]').waitFor();
      await finding.getByText('TTFT (p95, p99), request latency, requests/s').waitFor();
      await finding.getByText('Show in A').click();
      assert.deepEqual(await view.waitForPost('openEvidence'), { type: 'openEvidence', finding: 0, side: 'a' });
      await view.close();
    },
  },
  {
    name: 'comparison: every pitfall that is seen, folded, accessible when open, each with its page and who accepted it',
    async body(browser) {
      const view = await openView(browser, { kind, message: COMPARED });
      const list = view.page.locator('details.pitfalls');
      assert.equal(await list.locator('li').first().isVisible(), false);
      await list.getByText('2 pitfalls are seen').click();
      await list.getByText('B’s config accepts it because the server was warm; it is listed all the same').waitFor();
      assert.deepEqual(await view.accessibility(), []);
      await list.scrollIntoViewIfNeeded();
      await view.shot('page-comparison-pitfalls');
      await list.getByText('CMP090').click();
      assert.deepEqual(await view.waitForPost('explain'), { type: 'explain', code: 'CMP090' });
      await view.close();
    },
  },
  {
    name: 'comparison: j and k walk the findings, Enter opens both places, c copies',
    async body(browser) {
      const view = await openView(browser, { kind, message: COMPARED });
      await view.page.locator('main').press('j');
      await view.page.keyboard.press('j');
      await view.page.locator('.finding:focus').filter({ hasText: 'Token source' }).waitFor();
      await view.page.keyboard.press('Enter');
      assert.deepEqual(await view.waitForPost('openEvidence'), { type: 'openEvidence', finding: 1 });
      await view.page.keyboard.press('k');
      await view.page.locator('.finding:focus').filter({ hasText: 'Warm-up' }).waitFor();
      await view.page.keyboard.press('c');
      await view.waitForPost('copyMarkdown');
      await view.close();
    },
  },
  {
    name: 'comparison: confounded numbers are struck through but readable; the rest is not',
    async body(browser) {
      const view = await openView(browser, { kind, message: COMPARED });
      const line = (metric: string): Promise<string> =>
        view.page
          .locator('tr.metric', { hasText: metric })
          .locator('td.figure')
          .first()
          .evaluate((cell) => getComputedStyle(cell).textDecorationLine);
      assert.equal(await line('TTFT p50'), 'line-through');
      assert.equal(await line('ITL p50'), 'none');
      await view.page.locator('tr.metric', { hasText: 'TTFT p50' }).getByText('confounded by warm-up').waitFor();
      await view.page.locator('tr.metric', { hasText: 'TTFT p99' }).locator('td.figure').first().hover();
      await view.page.locator('.answer', { hasText: 'n = 100 is under the 299 that p99 needs' }).waitFor();
      await view.close();
    },
  },
  {
    name: 'comparison: the one change under test can be declared, A and B swapped, a report opened',
    async body(browser) {
      const view = await openView(browser, { kind, message: COMPARED });
      await view.page.locator('.intent vscode-dropdown').click();
      await view.page.locator('.intent vscode-option', { hasText: 'Token source' }).click();
      assert.deepEqual(await view.waitForPost('intend'), { type: 'intend', dimension: 'token-source' });
      await view.page.getByText('Swap A and B').click();
      await view.waitForPost('swap');
      await view.page.locator('.heads thead vscode-link').nth(1).click();
      assert.deepEqual(await view.waitForPost('openReport'), { type: 'openReport', side: 'b' });
      await view.close();
    },
  },
  {
    name: 'comparison: what is assumed has a group of its own, a cut is chosen, loads are interpolated, the question is saved',
    async body(browser) {
      const view = await openView(browser, { kind, message: SWEPT, width: 900 });
      const states = await view.page
        .locator('.finding-group')
        .evaluateAll((groups) => groups.map((group) => (group as HTMLElement).dataset['state']));
      assert.deepEqual(states, ['confounds', 'assumed', 'same']);
      const assumed = view.page.locator('details.finding-group[data-state="assumed"]');
      assert.equal(await assumed.locator('.finding').first().isVisible(), false);
      await assumed.locator('summary').click();
      await assumed.getByText('you have to believe that it was equal').waitFor();
      const cut = view.page.locator('.cut');
      await cut.locator('vscode-dropdown').click();
      await cut.locator('vscode-option', { hasText: 'the first 30 s' }).click();
      assert.deepEqual(await view.waitForPost('cut'), { type: 'cut', cut: '30s' });
      await view.page
        .getByRole('heading', { name: '12 rps, B interpolated between its stages 0 (10 rps) and 1 (20 rps)' })
        .waitFor();
      await view.page.getByRole('checkbox', { name: /^Interpolate/ }).click();
      assert.deepEqual(await view.waitForPost('interpolate'), { type: 'interpolate', on: false });
      await view.page.getByText('Save…').click();
      await view.waitForPost('saveComparison');
      assert.deepEqual(await view.accessibility(), []);
      await view.shot('page-comparison-swept', { fullPage: true });
      await view.close();
    },
  },
  ...([420, 1400] as const).map((width) => ({
    name: `comparison: of real runs, ${width} px wide, without sideways scrolling`,
    async body(browser: Parameters<PageTest['body']>[0]) {
      const view = await openView(browser, { kind, message: SWEPT, width, theme: width === 420 ? 'light' : 'dark' });
      const overflow = await view.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
      await view.shot(`page-comparison-swept-${width}`, { fullPage: true });
      await view.close();
    },
  })),
  {
    name: 'comparison: the same page at 420 px, without sideways scrolling',
    async body(browser) {
      const view = await openView(browser, { kind, message: COMPARED, width: 420 });
      const overflow = await view.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
      await view.shot('page-comparison-420', { fullPage: true });
      await view.close();
    },
  },
  {
    name: 'comparison: alignment is switched on and off, says what it did, and shows its share of the gap',
    async body(browser) {
      const view = await openView(browser, { kind, message: ALIGNED, width: 900 });
      const boxes = view.page.locator('.alignment input');
      assert.equal(await boxes.count(), 3);
      const [warmup, token, limit] = [/^Warm-up/, /^Token/, /^Client limit/].map((name) =>
        view.page.locator('.alignment').getByRole('checkbox', { name }),
      );
      assert.equal(await token!.isChecked(), true);
      assert.equal(await limit!.isDisabled(), true);
      await warmup!.click();
      assert.deepEqual(await view.waitForPost('align'), { type: 'align', dimension: 'warmup-window', on: true });
      await view.page.getByText(/12\.0 % of A before alignment, 3\.10 % after: .* 8\.90 points/).waitFor();
      await view.page.getByText('counter: server-usage on A, client-tokenizer on B').waitFor();
      assert.deepEqual(await view.accessibility(), []);
      await view.shot('page-comparison-aligned', { fullPage: true });
      await view.close();
    },
  },
];
