// The report view in Chromium.
import assert from 'node:assert/strict';
import type { HostMessage } from '../../src/messages';
import { openView } from './harness';
import { FAILED_REPORT, foreignMessage, POOR_REPORT, REPORT, SINGLE } from './samples';
import { THEME_NAMES, type ThemeName } from './themes';
import type { PageTest } from './tests';

const kind = 'report';
const REPORT_VIEW = (REPORT as Extract<HostMessage, { type: 'report' }>).view;

export const reportTests: readonly PageTest[] = [
  {
    name: 'report: says it is ready, shows that it opens, then the run',
    async body(browser) {
      const view = await openView(browser, { kind });
      assert.deepEqual(await view.posted(), [{ type: 'ready' }]);
      await view.page.getByRole('status').filter({ hasText: 'Opening' }).waitFor();
      await view.send(REPORT);
      await view.page.getByRole('heading', { level: 1, name: 'chat-8b, 2026-11-29 16:54 UTC' }).waitFor();
      await view.page.getByText('Complete: 800 requests, 79').waitFor();
      await view.close();
    },
  },
  ...THEME_NAMES.map((theme: ThemeName) => ({
    name: `report: draws every chart and is accessible in the ${theme} theme`,
    async body(browser: Parameters<PageTest['body']>[0]) {
      const view = await openView(browser, { kind, message: REPORT, theme });
      const charts = view.page.locator('figure.chart');
      assert.equal(await charts.count(), 6);
      const painted = await view.page.locator('figure.chart:not(.nothing) canvas').evaluateAll((canvases) =>
        canvases.map((canvas) => {
          const { width, height } = canvas as HTMLCanvasElement;
          const data = (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height).data;
          let count = 0;
          for (let i = 3; i < data.length; i += 4) if (data[i] !== 0) count++;
          return count;
        }),
      );
      assert.ok(painted.length >= 5 && painted.every((count) => count > 1500), `pixels painted: ${painted.join(', ')}`);
      assert.deepEqual(await view.accessibility(), []);
      await view.shot(`page-report-${theme}`);
      await view.shot(`page-report-${theme}-full`, { fullPage: true });
      await view.close();
    },
  })),
  {
    name: 'report: the same page at 420 px and at full screen, without sideways scrolling',
    async body(browser) {
      for (const width of [420, 1900]) {
        const view = await openView(browser, { kind, message: REPORT, width });
        const overflow = await view.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        assert.ok(overflow <= 0, `${overflow} px wider than ${width}`);
        await view.shot(`page-report-${width}`, { fullPage: true });
        await view.close();
      }
    },
  },
  {
    name: 'report: every figure of the stages is in sight at every width, latencies too',
    async body(browser) {
      for (const width of [420, 560, 699, 760, 980, 1180, 1290, 1500]) {
        const view = await openView(browser, { kind, message: REPORT, width });
        const hidden = await view.page.locator('table.stages td.figure').evaluateAll((cells) =>
          cells.flatMap((cell) => {
            const box = cell.getBoundingClientRect();
            const clipped = cell.scrollWidth > cell.clientWidth + 1;
            const inside = box.width > 0 && box.left >= 0 && box.right <= window.innerWidth;
            return inside && !clipped ? [] : [`${cell.textContent} at ${Math.round(box.right)}`];
          }),
        );
        assert.deepEqual(hidden, [], `${width} px`);
        await view.close();
      }
    },
  },
  {
    name: 'report: the first screen has the key numbers, the notices in a line, and a chart',
    async body(browser) {
      const view = await openView(browser, { kind, message: POOR_REPORT, width: 1280, height: 708 });
      const bottom = (selector: string): Promise<number> =>
        view.page
          .locator(selector)
          .first()
          .evaluate((element) => element.getBoundingClientRect().bottom);
      assert.ok((await bottom('.key-numbers')) < 250);
      assert.ok((await bottom('.notices > summary')) < 300);
      assert.ok((await bottom('figure.chart')) <= 708);
      assert.equal(await view.page.locator('.note').first().isVisible(), false);
      await view.page.locator('.notices > summary').click();
      await view.page.locator('.note').first().waitFor();
      await view.close();
    },
  },
  {
    name: 'report: what a figure is is said in sight, however long the table',
    async body(browser) {
      const view = await openView(browser, { kind, message: REPORT, width: 560, height: 500 });
      const cell = view.page.locator('table.stages tbody tr').first().locator('td.figure').first();
      await cell.scrollIntoViewIfNeeded();
      await cell.hover();
      const answer = view.page.locator('.askable .answer.asked');
      await answer.waitFor();
      const box = (await answer.boundingBox())!;
      assert.ok(box.y >= 0 && box.y + box.height <= 500, `the answer is at ${box.y}, of a window of 500`);
      await view.close();
    },
  },
  {
    name: 'report: charts follow a change of theme',
    async body(browser) {
      const view = await openView(browser, { kind, message: REPORT, theme: 'dark' });
      const pixel = (): Promise<string> =>
        view.page
          .locator('figure[data-chart="over-time"] canvas')
          .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
      const dark = await pixel();
      await view.setTheme('light');
      assert.notEqual(await pixel(), dark);
      await view.close();
    },
  },
  {
    name: 'report: every figure can be asked, by mouse and by arrow keys',
    async body(browser) {
      const view = await openView(browser, { kind, message: REPORT });
      const answer = view.page.locator('.askable .answer').first();
      const row = view.page.locator('table.stages tbody tr').nth(1);
      await row.locator('td.figure').nth(4).hover();
      await answer
        .filter({
          hasText: /TTFT p50: first token minus start; n = \d+ requests in [\d.]+ (?:ms|s|min) \(records\.jsonl\)/,
        })
        .waitFor();
      await row.locator('td.figure').nth(4).focus();
      await view.page.keyboard.press('ArrowRight');
      await view.page.keyboard.press('ArrowRight');
      await answer.filter({ hasText: /Too few: p99 needs 299 requests to mean something, there are \d+/ }).waitFor();
      assert.equal(
        await row
          .locator('td.figure')
          .nth(6)
          .evaluate((cell) => cell.classList.contains('weak')),
        true,
      );
      await view.page.keyboard.press('ArrowDown');
      await view.page.keyboard.press('ArrowDown');
      await answer.filter({ hasText: /^TTFT p99: first token minus start; n = \d+ requests/ }).waitFor();
      await view.close();
    },
  },
  {
    name: 'report: a stage is selected for the charts, and stays so over a reload',
    async body(browser) {
      const view = await openView(browser, { kind, message: REPORT });
      await view.page.getByRole('button', { name: /^2: 10 rps/ }).click();
      assert.equal(await view.page.locator('tr.selected').getAttribute('data-stage'), '2');
      const saved = await view.state();
      assert.equal((saved as { stage: number }).stage, 2);
      await view.close();
      const again = await openView(browser, { kind, message: REPORT, saved });
      assert.equal(await again.page.locator('tr.selected').getAttribute('data-stage'), '2');
      await again.page.getByRole('button', { name: /^2: 10 rps/ }).click();
      assert.equal(await again.page.locator('tr.selected').count(), 0);
      await again.close();
    },
  },
  {
    name: 'report: each chart has its sentence and its table one key away, and another metric one choice away',
    async body(browser) {
      const view = await openView(browser, { kind, message: REPORT });
      const figure = view.page.locator('figure[data-chart="distributions"]');
      const drawing = figure.getByRole('img');
      assert.match((await drawing.getAttribute('aria-describedby'))!, /./);
      await figure
        .locator('figcaption')
        .filter({ hasText: /^Half of the requests had their first token within/ })
        .waitFor();
      await drawing.focus();
      await view.page.keyboard.press('t');
      const table = figure.getByRole('table');
      assert.equal(await table.locator('tbody tr').count(), 3);
      assert.equal(await drawing.isVisible(), false);
      await figure.locator('vscode-dropdown').click();
      await figure.locator('vscode-option', { hasText: 'TPOT' }).click();
      await figure.locator('figcaption').filter({ hasText: 'per output token' }).waitFor();
      await table.locator('th', { hasText: 'TPOT, ms' }).waitFor();
      await view.close();
    },
  },
  {
    name: 'report: keys and links speak to the extension',
    async body(browser) {
      const view = await openView(browser, { kind, message: POOR_REPORT });
      await view.page.getByText(/^Incomplete: /).waitFor();
      await view.page.locator('main').press('j');
      await view.page.locator('.note:focus').filter({ hasText: 'The run is incomplete' }).waitFor();
      await view.page.keyboard.press('j');
      await view.page.locator('.note:focus').filter({ hasText: 'The last line of records.jsonl is cut off' }).waitFor();
      await view.page.keyboard.press('c');
      assert.deepEqual(await view.waitForPost('copyMarkdown'), { type: 'copyMarkdown' });
      await view.send({ type: 'copied' });
      await view.page.getByText('Copied as Markdown').waitFor();
      await view.page.getByText('run.json', { exact: true }).click();
      assert.deepEqual(await view.waitForPost('openFile'), { type: 'openFile', side: 'a', file: 'run.json' });
      await view.page.getByText('CMP060').click();
      assert.deepEqual(await view.waitForPost('explain'), { type: 'explain', code: 'CMP060' });
      await view.page.getByText('Compare with…').click();
      await view.waitForPost('compareWith');
      await view.shot('page-report-poor', { fullPage: true });
      await view.close();
    },
  },
  {
    name: 'report: hostile text from a report stays text',
    async body(browser) {
      const title = '<img src=x onerror="window.hacked = true"><script>window.hacked = true</script>';
      const message = { ...REPORT, view: { ...REPORT_VIEW, title, notes: [{ tone: 'bad', title }] } } as HostMessage;
      const view = await openView(browser, { kind, message });
      assert.equal(await view.page.locator('h1').innerText(), title);
      assert.equal(await view.page.locator('img[src="x"]').count(), 0);
      assert.equal(await view.page.evaluate(() => 'hacked' in window), false);
      await view.close();
    },
  },
  {
    name: 'report: a folder that cannot be read says why, and what to do',
    async body(browser) {
      const view = await openView(browser, { kind });
      await view.send({ type: 'failed', message: 'reports-x holds no report', remedy: 'Name a report folder' });
      await view.page.getByRole('alert').filter({ hasText: 'reports-x holds no report' }).waitFor();
      await view.page.getByText('Show Log').click();
      await view.waitForPost('showLog');
      assert.deepEqual(await view.accessibility(), []);
      await view.close();
    },
  },
  {
    name: 'report: another tool’s file says how it was read and what its numbers contradict, above the charts',
    async body(browser) {
      const view = await openView(browser, { kind, message: await foreignMessage(), width: 900 });
      await view.page.getByText(/^vllm.*, read as /).waitFor();
      await view.page.locator('.notices > summary').click();
      const worst = view.page.locator('.notes .note').first();
      assert.match(await worst.innerText(), /Checked: /);
      assert.match((await worst.getAttribute('class')) ?? '', /note-bad/);
      const above = await view.page.evaluate(() => {
        const top = (selector: string): number => document.querySelector(selector)!.getBoundingClientRect().top;
        return top('.notes .note') < top('figure');
      });
      assert.ok(above, 'the violated identity stands above the charts');
      await view.page.getByText(/recognised by /).waitFor();
      await view.page.getByText(/things a reader would ask for are not recorded/).waitFor();
      assert.deepEqual(await view.accessibility(), []);
      await view.shot('page-report-foreign', { fullPage: true });
      await view.close();
    },
  },
  ...THEME_NAMES.map((theme: ThemeName) => ({
    name: `report: another tool’s file in the ${theme} theme, each number with its source, each chart with its table`,
    async body(browser: Parameters<PageTest['body']>[0]) {
      const view = await openView(browser, { kind, message: await foreignMessage(), theme, width: 1100 });
      const heads = await view.page.locator('table.stages tr.groups th').allInnerTexts();
      assert.ok(
        heads.some((head) => head.startsWith('Chunk gap')),
        heads.join(', '),
      );
      assert.ok(!heads.some((head) => head.startsWith('ITL')), 'a gap between chunks is no ITL of tokens');
      const charts = view.page.locator('figure.chart');
      const count = await charts.count();
      assert.ok(count >= 2);
      for (let i = 0; i < count; i++) {
        await charts.nth(i).getByText('Table', { exact: true }).click();
        await charts.nth(i).locator('table').waitFor();
      }
      assert.deepEqual(await view.accessibility(), []);
      await view.shot(`page-report-foreign-${theme}`, { fullPage: true });
      await view.close();
    },
  })),
  {
    name: 'report: another tool’s file at 420 px, and the way from a file to its text',
    async body(browser) {
      const message = { ...(await foreignMessage()), asText: true } as HostMessage;
      const view = await openView(browser, { kind, message, width: 420 });
      const overflow = await view.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px wider than the panel`);
      await view.page.getByText('Open as Text', { exact: true }).click();
      await view.waitForPost('openAsText');
      await view.shot('page-report-foreign-420', { fullPage: true });
      await view.send({ type: 'failed', message: 'stage_0 is not JSON', remedy: 'Open the file', asText: true });
      await view.page.getByRole('alert').getByText('Open as Text', { exact: true }).waitFor();
      assert.deepEqual(await view.accessibility(), []);
      // A panel that stands for a folder has no text to show.
      await view.send(REPORT);
      await view.page.getByRole('heading', { level: 1 }).waitFor();
      assert.equal(await view.page.getByText('Open as Text', { exact: true }).count(), 0);
      await view.close();
    },
  },
  {
    name: 'report: of one single request the distribution is drawn, too',
    async body(browser) {
      const view = await openView(browser, { kind, message: SINGLE });
      for (const chart of ['distributions', 'lengths']) {
        const coloured = await view.page.locator(`figure[data-chart="${chart}"] canvas`).evaluate((canvas) => {
          const { width, height } = canvas as HTMLCanvasElement;
          const data = (canvas as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, width, height).data;
          let count = 0;
          // The grid and the labels are grey.
          for (let i = 0; i < data.length; i += 4) {
            const rgb = [data[i]!, data[i + 1]!, data[i + 2]!];
            if (Math.max(...rgb) - Math.min(...rgb) > 60) count++;
          }
          return count;
        });
        assert.ok(coloured > 80, `${chart}: ${coloured} coloured pixels`);
      }
      assert.deepEqual(await view.accessibility(), []);
      await view.shot('page-report-single', { fullPage: true });
      await view.close();
    },
  },
  ...THEME_NAMES.map((theme: ThemeName) => ({
    name: `report: where every request failed charts say so and offer nothing to choose, ${theme} theme`,
    async body(browser: Parameters<PageTest['body']>[0]) {
      const view = await openView(browser, { kind, message: FAILED_REPORT, theme, width: 600 });
      const figure = view.page.locator('figure[data-chart="distributions"]');
      await figure.getByText('TTFT was not measured for any request.').waitFor();
      assert.equal(await figure.locator('vscode-dropdown').count(), 0);
      assert.ok(await view.page.locator('figure[data-chart="errors"] canvas').isVisible());
      assert.deepEqual(await view.accessibility(), []);
      await view.shot(`page-report-failed-${theme}`, { fullPage: true });
      await view.close();
    },
  })),
  {
    name: 'report: a message longer than the panel breaks',
    async body(browser) {
      const view = await openView(browser, { kind, width: 420 });
      const message = `reports-${'Leistungsmessreihe'.repeat(8)} holds no report`;
      await view.send({ type: 'failed', message, remedy: 'Name a report folder', asText: true });
      await view.page.getByRole('alert').waitFor();
      const overflow = await view.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
      await view.close();
    },
  },
];
