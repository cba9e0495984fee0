// The live view in Chromium.
import assert from 'node:assert/strict';
import { openView } from './harness';
import { brokenMessage, liveMessage, REPORT } from './samples';
import { THEME_NAMES, type ThemeName } from './themes';
import type { PageTest } from './tests';

const kind = 'live';

export const liveTests: readonly PageTest[] = [
  ...THEME_NAMES.map((theme: ThemeName) => ({
    name: `live: figures, trace, stages and health, accessible in the ${theme} theme`,
    async body(browser: Parameters<PageTest['body']>[0]) {
      const view = await openView(browser, { kind, message: liveMessage(30), theme, width: 760 });
      await view.page.getByText('Stage 2 of 3, 30 s left').waitFor();
      assert.deepEqual(await view.accessibility(), []);
      await view.shot(`page-live-${theme}`, { fullPage: true });
      await view.close();
    },
  })),
  {
    name: 'live: figures change in place and nothing moves',
    async body(browser) {
      const view = await openView(browser, { kind, message: liveMessage(10) });
      const places = (): Promise<string> =>
        view.page.evaluate(() =>
          [...document.querySelectorAll('h1, h2, .term, figure, .live-stage')]
            .map((element) => Math.round(element.getBoundingClientRect().top))
            .join(),
        );
      const before = await places();
      await view.page.evaluate(() => {
        document.querySelector('.live-stage')!.setAttribute('data-kept', '');
      });
      for (const second of [11, 12, 13]) await view.send(liveMessage(second));
      await view.page.getByText('Stage 2 of 3, 47 s left').waitFor();
      assert.equal(await places(), before);
      // The first stage did not change, so its element is the very same one.
      assert.equal(await view.page.locator('[data-kept]').count(), 1);
      await view.close();
    },
  },
  {
    name: 'live: stop asks once gracefully, once for now, and becomes the report in place',
    async body(browser) {
      const view = await openView(browser, { kind, message: liveMessage(10) });
      await view.page.getByText('Stop', { exact: true }).click();
      assert.deepEqual(await view.waitForPost('stop'), { type: 'stop', now: false });
      await view.page.getByText('Stop now', { exact: true }).click();
      assert.deepEqual((await view.posted()).at(-1), { type: 'stop', now: true });
      await view.send(REPORT);
      await view.page.getByRole('heading', { level: 1, name: /^chat-8b/ }).waitFor();
      await view.page.locator('figure[data-chart="over-time"]').waitFor();
      await view.close();
    },
  },
  {
    name: 'live: a run that broke before its first request says why, points to the log and calls nothing good',
    async body(browser) {
      const view = await openView(browser, { kind, message: brokenMessage(), width: 760 });
      await view.page.getByText(/broke before its first request: connect ECONNREFUSED/).waitFor();
      const text = await view.page.locator('main').innerText();
      assert.doesNotMatch(text, /keeps up|closed loop|not measured yet/);
      assert.match(text, /Not measured: nothing was sent/);
      assert.equal(await view.page.locator('figure').isVisible(), false);
      assert.equal(await view.page.getByText('Stop', { exact: true }).isVisible(), false);
      assert.deepEqual(await view.accessibility(), []);
      await view.shot('page-live-broken', { fullPage: true });
      await view.page.getByText('Show log', { exact: true }).click();
      assert.deepEqual(await view.waitForPost('showLog'), { type: 'showLog' });
      await view.close();
    },
  },
];
