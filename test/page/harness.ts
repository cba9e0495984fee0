// Opens a view as VS Code would: its real page and policy, the theme's variables, a stand-in for acquireVsCodeApi.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { viewHtml } from '../../src/extension/html';
import type { HostMessage, ViewKind, WebviewMessage } from '../../src/messages';
import { BODY_CLASS, THEMES, type ThemeName } from './themes';

const ROOT = process.env['ISOPERF_ROOT'] ?? process.cwd();
const ORIGIN = 'http://isoperf.test';

export interface OpenOptions {
  readonly kind: ViewKind;
  readonly message?: HostMessage;
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  /** What the panel had saved before a reload. */
  readonly saved?: unknown;
}

export interface OpenView {
  readonly page: Page;
  send(message: HostMessage): Promise<void>;
  posted(): Promise<readonly WebviewMessage[]>;
  /** Waits until a message of this type was posted, and gives it. */
  waitForPost(type: WebviewMessage['type']): Promise<WebviewMessage>;
  setTheme(theme: ThemeName): Promise<void>;
  state(): Promise<unknown>;
  shot(name: string, options?: { readonly fullPage?: boolean }): Promise<void>;
  /** Serious and critical findings of axe-core, one line each. */
  accessibility(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function openView(browser: Browser, options: OpenOptions): Promise<OpenView> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1180, height: options.height ?? 860 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on('pageerror', (error) => trouble.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') trouble.push(`console: ${message.text()}`);
  });
  await page.addInitScript(standIn, { saved: options.saved ?? null });
  await page.route(`${ORIGIN}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/') await route.fulfill({ contentType: 'text/html', body: html(options.kind) });
    else if (pathname === '/webview.js')
      await route.fulfill({ contentType: 'text/javascript', body: dist('webview.js') });
    else if (pathname === '/style.css') await route.fulfill({ contentType: 'text/css', body: dist('style.css') });
    else await route.fulfill({ status: 404 });
  });
  await page.goto(`${ORIGIN}/`);
  await applyTheme(page, options.theme ?? 'dark');
  const send = (message: HostMessage): Promise<void> =>
    page.evaluate((data) => window.postMessage(data, window.origin), message);
  const posted = (): Promise<WebviewMessage[]> =>
    page.evaluate(() => (window as unknown as { posted: never[] }).posted);
  if (options.message) {
    await send(options.message);
    await page.locator('main.page').waitFor();
    await page.locator('main .busy').waitFor({ state: 'detached' });
  }
  return {
    page,
    send,
    posted,
    async waitForPost(type) {
      const found = await page.waitForFunction(
        (wanted) => (window as unknown as { posted: { type: string }[] }).posted.find((entry) => entry.type === wanted),
        type,
      );
      return (await found.jsonValue()) as WebviewMessage;
    },
    setTheme: (theme) => applyTheme(page, theme),
    state: () => page.evaluate(() => (window as unknown as { savedState: unknown }).savedState),
    async shot(name, shotOptions = {}) {
      await settled(page);
      await page.screenshot({ path: path.join(ROOT, 'shots', `${name}.png`), ...shotOptions });
    },
    accessibility: () => accessibility(page),
    async close() {
      const violations = await page.evaluate(() => (window as unknown as { violations: string[] }).violations);
      await context.close();
      const all = [...violations, ...trouble];
      if (all.length > 0) throw new Error(`the page complained:\n  ${all.join('\n  ')}`);
    },
  };
}

function html(kind: ViewKind): string {
  return viewHtml({
    kind,
    title: 'IsoPerf',
    nonce: 'bm9uY2Utb2YtdGhlLXRlc3Q',
    cspSource: ORIGIN,
    scriptUri: `${ORIGIN}/webview.js`,
    styleUri: `${ORIGIN}/style.css`,
  });
}

const dist = (file: string): string => readFileSync(path.join(ROOT, 'dist', file), 'utf8');

/** Runs in the page before anything else: what VS Code provides, and an ear for broken policy. */
function standIn({ saved }: { readonly saved: unknown }): void {
  const state = window as unknown as {
    posted: unknown[];
    violations: string[];
    savedState: unknown;
    acquireVsCodeApi: unknown;
  };
  state.posted = [];
  state.violations = [];
  state.savedState = saved;
  document.addEventListener('securitypolicyviolation', (event) => {
    state.violations.push(`policy: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
  });
  state.acquireVsCodeApi = () => ({
    postMessage: (message: unknown) => state.posted.push(message),
    getState: () => state.savedState,
    setState: (next: unknown) => {
      state.savedState = next;
    },
  });
}

async function applyTheme(page: Page, theme: ThemeName): Promise<void> {
  await page.evaluate(
    ({ variables, bodyClass }) => {
      document.documentElement.removeAttribute('style');
      for (const [name, value] of Object.entries(variables)) {
        document.documentElement.style.setProperty(`--vscode-${name}`, value);
      }
      document.body.className = bodyClass;
    },
    { variables: THEMES[theme], bodyClass: BODY_CLASS[theme] },
  );
  await settled(page);
}

/** Two frames: theme observers and charts have drawn. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

async function accessibility(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate(async () => {
    const { axe: tool } = window as unknown as { axe: typeof axe };
    return tool.run(document, { resultTypes: ['violations'] });
  });
  return results.violations
    .filter((violation) => violation.impact === 'serious' || violation.impact === 'critical')
    .flatMap((violation) =>
      violation.nodes.map(
        (node) => `${violation.id}: ${node.target.join(' ')}: ${node.failureSummary ?? violation.help}`,
      ),
    );
}
