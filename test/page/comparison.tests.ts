// The comparison view in Chromium.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { comparisonHtml, pageAssets } from '../../src/cli/comparison-html';
import { openView } from './harness';
import { ALIGNED, COMPARED, LONG, PAIRED, SWEPT } from './samples';
import { THEME_NAMES, type ThemeName } from './themes';
import type { PageTest } from './tests';

const kind = 'comparison';
const ROOT = process.env['ISOPERF_ROOT'] ?? process.cwd();

/** Cells of the tables of figures that stick out of their box, or lie on each other. */
function crowded(): string[] {
  const found: string[] = [];
  for (const row of document.querySelectorAll<HTMLTableRowElement>('.metrics tr, .heads tr')) {
    const box = row.closest('.figures-box, .scroll, .runs-table')!.getBoundingClientRect();
    const seen = [...row.cells].map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return {
        cell,
        at: range.getBoundingClientRect(),
        hidden:
          getComputedStyle(cell.firstElementChild?.matches('.unseen') ? cell.firstElementChild : cell).position ===
          'absolute',
      };
    });
    const shown = seen.filter(({ at, hidden }) => !hidden && at.width > 0);
    for (const [index, { cell, at }] of shown.entries()) {
      if (at.right > box.right + 1 || at.left < box.left - 20) found.push(`sticks out: ${cell.innerText}`);
      for (const other of shown.slice(index + 1)) {
        const across = Math.min(at.right, other.at.right) - Math.max(at.left, other.at.left);
        const down = Math.min(at.bottom, other.at.bottom) - Math.max(at.top, other.at.top);
        if (across > 1 && down > 4) found.push(`${cell.innerText} lies on ${other.cell.innerText}`);
      }
    }
  }
  return found;
}

/** The first elements whose right edge is out of the window, for the message of a test that failed. */
function stickingOut(): string[] {
  return [...document.querySelectorAll('main *')]
    .filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1)
    .slice(0, 6)
    .map((element) => `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`);
}

/** A panel's width, and the size of its font: 200 % zoom is half the width, or a font twice as large. */
const ROOMS = [
  ...[210, 300, 420, 450, 600, 700, 900, 1200, 1400, 1600].map((width) => ({ width, font: 13 })),
  { width: 900, font: 26 },
  { width: 1600, font: 26 },
];

export const comparisonTests: readonly PageTest[] = [
  ...THEME_NAMES.map((theme: ThemeName) => ({
    name: `comparison: verdict first, then what confounds, accessible in the ${theme} theme`,
    async body(browser: Parameters<PageTest['body']>[0]) {
      const view = await openView(browser, { kind, message: COMPARED, theme });
      await view.page.getByRole('heading', { level: 2, name: 'Not comparable' }).waitFor();
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
  ...THEME_NAMES.map((theme: ThemeName) => ({
    name: `comparison: each request’s own difference is a chart with words and a table, ${theme} theme`,
    async body(browser: Parameters<PageTest['body']>[0]) {
      const view = await openView(browser, { kind, message: PAIRED, theme });
      const figure = view.page.locator('figure.chart[data-chart="requests"]');
      await figure.scrollIntoViewIfNeeded();
      const drawing = figure.getByRole('img', { name: 'Each request’s own difference' });
      await drawing.waitFor();
      const described = await drawing.evaluate(
        (element) => document.getElementById(element.getAttribute('aria-describedby')!)?.textContent ?? '',
      );
      assert.match(described, /B less A is .* in the median, 90 % between .* longer on B in .* of 400 pairs/);
      const painted = await figure.locator('canvas').evaluate((element) => {
        const canvas = element as HTMLCanvasElement;
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        return data.filter((value, i) => i % 4 === 3 && value !== 0).length;
      });
      assert.ok(painted > 1500, `pixels painted: ${painted}`);
      await figure.getByRole('combobox').click();
      await figure.getByRole('option', { name: 'Request latency', exact: true }).click();
      await figure.getByText(/^Each request’s own request latency: B less A is \+/).waitFor();
      assert.deepEqual(await view.accessibility(), []);
      await view.shot(`page-comparison-requests-${theme}`);
      await figure.getByText('Table', { exact: true }).click();
      await figure.getByRole('columnheader', { name: 'pairs' }).waitFor();
      await view.close();
    },
  })),
  {
    name: 'comparison: both values stand side by side with their place, and a click opens it',
    async body(browser) {
      const view = await openView(browser, { kind, message: COMPARED });
      const finding = view.page.locator('.finding').first();
      await finding.getByText('one warm-up stage, 100 requests excluded').waitFor();
      await finding.getByText('config.yaml load.stages[0]').waitFor();
      await finding.getByText('TTFT (p95, p99); request latency, requests/s').waitFor();
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
      await list.getByText('2 known pitfalls apply').click();
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
    name: 'comparison: verdict, key numbers and a chart are on the first screen of 1,000 by 708 px',
    async body(browser) {
      for (const [name, message] of [
        ['compared', COMPARED],
        ['swept', SWEPT],
      ] as const) {
        const view = await openView(browser, { kind, message, width: 1000, height: 708 });
        const bottoms = await view.page.evaluate(() =>
          ['.verdict', '.key', '.first-charts .chart'].map((selector) =>
            Math.round(document.querySelector(selector)!.getBoundingClientRect().bottom),
          ),
        );
        await view.shot(`page-comparison-first-screen-${name}`);
        const screens = await view.page.evaluate(() => document.documentElement.scrollHeight / 708);
        assert.ok(
          bottoms.every((bottom) => bottom <= 708),
          `${name}: ${bottoms.join(', ')}`,
        );
        assert.ok(screens < 6, `${name}: ${screens} screens`);
        await view.close();
      }
    },
  },
  {
    name: 'comparison: a chip leads to its finding, and the verdict’s word stays when the verdict has gone',
    async body(browser) {
      const view = await openView(browser, { kind, message: COMPARED, height: 500 });
      const word = view.page.locator('.head-verdict');
      assert.equal(await word.isVisible(), false);
      await view.page.locator('.chip-unknown .chip').click();
      await view.page.locator('.finding:focus').getByText('B did not record how busy its client was').waitFor();
      await word.waitFor();
      await view.close();
    },
  },
  {
    name: 'comparison: as one file it opens without a network, light and dark, and offers nothing that needs an editor',
    async body(browser) {
      const view = SWEPT.type === 'comparison' ? SWEPT.view : undefined;
      const hostile = { ...view!, title: '</script><img src=x onerror=alert(1)>', notes: ['</script><b>bold</b>'] };
      const folder = mkdtempSync(path.join(os.tmpdir(), 'isoperf-html-'));
      const file = path.join(folder, 'comparison.html');
      writeFileSync(file, comparisonHtml(hostile, pageAssets(path.join(ROOT, 'dist'))!));
      for (const colorScheme of ['light', 'dark'] as const) {
        const context = await browser.newContext({
          offline: true,
          colorScheme,
          viewport: { width: 1000, height: 708 },
        });
        const page = await context.newPage();
        const trouble: string[] = [];
        page.on('pageerror', (error) => trouble.push(error.message));
        page.on('console', (said) => (said.type() === 'error' ? trouble.push(said.text()) : undefined));
        await page.goto(`file://${file}`);
        await page.getByRole('heading', { level: 2, name: 'Not comparable' }).waitFor();
        await page.locator('.first-charts canvas').first().waitFor();
        assert.equal(await page.locator('.actions').isVisible(), false);
        assert.equal(await page.locator('vscode-link').count(), 0);
        assert.equal(await page.locator('b').count(), 0);
        await page.getByText('</script><b>bold</b>').waitFor();
        const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        assert.equal(background, colorScheme === 'dark' ? 'rgb(31, 31, 31)' : 'rgb(255, 255, 255)');
        await page.screenshot({ path: path.join(ROOT, 'shots', `page-comparison-file-${colorScheme}.png`) });
        await context.close();
        assert.deepEqual(trouble, []);
      }
      rmSync(folder, { recursive: true });
    },
  },
  {
    name: 'comparison: no figure is struck through, confounded ones are faint and say why',
    async body(browser) {
      const view = await openView(browser, { kind, message: COMPARED, saved: { metrics: true } });
      const line = (metric: string): Promise<string> =>
        view.page
          .locator('.metrics tr.metric', { hasText: metric })
          .locator('td.figure')
          .first()
          .evaluate((cell) => getComputedStyle(cell).textDecorationLine);
      assert.equal(await line('TTFT p50'), 'none');
      assert.equal(await line('ITL p50'), 'none');
      await view.page
        .locator('.metrics tr.metric', { hasText: 'TTFT p50' })
        .getByText('confounded by warm-up')
        .waitFor();
      await view.page.locator('.metrics tr.metric', { hasText: 'TTFT p99' }).locator('td.figure').first().hover();
      await view.page.locator('.answer', { hasText: 'n = 100 is under the 299 that p99 needs' }).waitFor();
      await view.close();
    },
  },
  {
    name: 'comparison: the one change under test can be declared, A and B swapped, a report opened',
    async body(browser) {
      const view = await openView(browser, { kind, message: COMPARED });
      await view.page.getByText('Change under test', { exact: true }).click();
      await view.page.locator('.intent vscode-dropdown').click();
      await view.page.locator('.intent vscode-option', { hasText: 'Arrival process' }).click();
      assert.deepEqual(await view.waitForPost('intend'), { type: 'intend', dimension: 'arrival-process' });
      await view.page.getByRole('button', { name: 'Swap' }).click();
      await view.waitForPost('swap');
      await view.page.locator('.runs vscode-link').nth(1).click();
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
      await assumed.locator('summary').first().click();
      await assumed.getByText('you have to believe that it was equal').waitFor();
      await view.page.locator('.menu summary', { hasText: 'Align' }).click();
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
    name: 'comparison: figures stay whole and apart in every width, with long names and at 200 % zoom',
    async body(browser) {
      const view = await openView(browser, { kind, message: LONG, theme: 'light', saved: { metrics: true } });
      for (const message of [LONG, SWEPT]) {
        await view.send(message);
        for (const { width, font } of ROOMS) {
          await view.page.setViewportSize({ width, height: 860 });
          await view.page.evaluate(
            (size) => document.documentElement.style.setProperty('--vscode-font-size', `${size}px`),
            font,
          );
          // Charts take their new size a frame later.
          const frames = (): Promise<void> =>
            view.page.evaluate(() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => done()), 60)));
          await frames();
          const overflow = await view.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          const wide = overflow <= 0 ? [] : await view.page.evaluate(stickingOut);
          assert.ok(
            overflow <= 0,
            `${overflow} px too wide at ${width} px with a font of ${font} px: ${wide.join('; ')}`,
          );
          assert.deepEqual(await view.page.evaluate(crowded), [], `at ${width} px with a font of ${font} px`);
        }
      }
      await view.close();
    },
  },
  {
    name: 'comparison: broken over lines, the figures are a table still, read and walked in its order',
    async body(browser) {
      for (const width of [420, 600, 900, 1400]) {
        const view = await openView(browser, {
          kind,
          message: LONG,
          width,
          theme: 'high-contrast-light',
          saved: { metrics: true },
        });
        const table = view.page.getByRole('table', { name: /^Metrics of A and B/ });
        const heads = await table.getByRole('columnheader').allTextContents();
        assert.deepEqual(heads, ['Metric', 'A', 'B', 'B − A', '95 % interval', 'In words', 'Verdict']);
        const row = table.getByRole('row', { name: /^TTFT p95/ });
        assert.equal(await row.getByRole('cell').count(), heads.length - 1);
        assert.match(await row.getByRole('cell').last().innerText(), /^confounded by warm-up$/);
        await row.getByRole('cell').first().focus();
        const said: string[] = [];
        for (let step = 0; step < 4; step++) {
          said.push(await view.page.locator(':focus').innerText());
          await view.page.keyboard.press('ArrowRight');
        }
        const shown = await row.getByRole('cell').allInnerTexts();
        assert.deepEqual(said, shown.slice(0, 4));
        assert.deepEqual(await view.accessibility(), []);
        await view.shot(`page-comparison-long-${width}`, { fullPage: true });
        await view.close();
      }
    },
  },
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
      await view.page.locator('.menu summary', { hasText: 'Align (1)' }).click();
      const boxes = view.page.locator('.alignment input');
      assert.equal(await boxes.count(), 3);
      const [warmup, token, limit] = [/^Warm-up/, /^Token/, /^Client limit/].map((name) =>
        view.page.locator('.alignment').getByRole('checkbox', { name }),
      );
      assert.equal(await token!.isChecked(), true);
      assert.equal(await limit!.isDisabled(), true);
      await warmup!.click();
      assert.deepEqual(await view.waitForPost('align'), { type: 'align', dimension: 'warmup-window', on: true });
      await view.page.keyboard.press('Escape');
      await view.page.locator('.all-metrics > summary').click();
      await view.page.getByText(/12\.0\s% of A before alignment, 3\.10\s% after: .* 8\.90 points/).waitFor();
      await view.page.locator('.chip-aligned .chip').first().click();
      await view.page.getByText('counter: server-usage on A, client-tokenizer on B').waitFor();
      assert.deepEqual(await view.accessibility(), []);
      await view.shot('page-comparison-aligned', { fullPage: true });
      await view.close();
    },
  },
];
