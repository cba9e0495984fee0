// Drives the workbench in Chromium as a user would: palette, editor, problems, trees, webviews.
import path from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';

const ROOT = process.env['ISOPERF_ROOT'] ?? process.cwd();

export class Workbench {
  constructor(
    readonly page: Page,
    private readonly configure: (settings: Readonly<Record<string, unknown>>) => void,
  ) {}

  async open(url: string): Promise<void> {
    await this.page.goto(url);
    await this.page.locator('.monaco-workbench').waitFor({ timeout: 90_000 });
    await this.page.locator('.explorer-folders-view .monaco-list-row').first().waitFor({ timeout: 90_000 });
  }

  /** Clicks of the user, for the test that counts them. */
  clicks = 0;

  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }

  private get quickInput(): Locator {
    return this.page.locator('.quick-input-widget input.input');
  }

  quickRow(text: string): Locator {
    return this.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
  }

  /** Runs a command by its title in the palette. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    await this.quickInput.waitFor();
    await this.quickInput.fill(`>${title}`);
    await this.quickRow(title).waitFor();
    await this.page.keyboard.press('Enter');
  }

  async pick(text: string): Promise<void> {
    await this.quickRow(text).click();
  }

  /** Types into the input box of that title, which may take the place of a list, and confirms it. */
  async answer(text: string, title: RegExp): Promise<void> {
    await this.page.locator('.quick-input-title', { hasText: title }).waitFor();
    await this.page.locator('.quick-input-list .monaco-list-row').first().waitFor({ state: 'hidden' });
    await this.quickInput.fill(text);
    await this.page.keyboard.press('Enter');
    await this.page.waitForFunction((typed) => {
      const input = document.querySelector<HTMLInputElement>('.quick-input-widget input.input');
      return input === null || input.value !== typed || input.offsetParent === null;
    }, text);
  }

  async openFile(name: string): Promise<void> {
    await this.page.keyboard.press('Control+P');
    await this.quickInput.waitFor();
    await this.quickInput.fill(name);
    await this.quickRow(name).waitFor();
    await this.page.keyboard.press('Enter');
    await this.tab(name).waitFor();
  }

  tab(name: string): Locator {
    return this.page.locator('.tab', { hasText: name }).first();
  }

  tabs(name: RegExp): Locator {
    return this.page.locator('.tab .label-name', { hasText: name });
  }

  async goto(line: number, column: number): Promise<void> {
    await this.page.keyboard.press('Control+G');
    await this.quickInput.waitFor();
    await this.quickInput.fill(`:${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  line(text: string): Locator {
    return this.page.locator('.editor-instance .view-line', { hasText: text }).first();
  }

  lens(text: string | RegExp): Locator {
    return this.page.locator('.codelens-decoration a', { hasText: text }).first();
  }

  /** The page inside the webview that is in front. */
  view(): FrameLocator {
    return this.page
      .frameLocator('iframe.webview.ready:not([style*="visibility: hidden"])')
      .frameLocator('iframe#active-frame');
  }

  /** A row of the explorer; files that came a moment ago are waited for. */
  explorerRow(name: string): Locator {
    return this.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first();
  }

  /** A row of the tree "Runs". */
  runRow(name: string, text: string): Locator {
    const rows = this.page.locator('.pane', { hasText: 'Runs' }).locator('.monaco-list-row');
    return rows.filter({ hasText: name }).filter({ hasText: text }).first();
  }

  /** A row of the tree "Configs". */
  configRow(name: string): Locator {
    return this.page.locator('.pane', { hasText: 'Configs' }).locator('.monaco-list-row', { hasText: name }).first();
  }

  notification(text: string | RegExp): Locator {
    return this.page.locator('.notification-list-item-message', { hasText: text }).first();
  }

  status(text: string | RegExp): Locator {
    return this.page.locator('.statusbar-item', { hasText: text }).first();
  }

  /** As a user reloads: VS Code keeps its state before the page goes, which a reload of the page alone may cut short. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('load', { timeout: 60_000 });
    await this.command('Developer: Reload Window');
    await loaded;
    await this.page.locator('.monaco-workbench').waitFor({ timeout: 90_000 });
  }

  /** Reloads the window in another theme. @param bodyClass what VS Code calls the kind of theme: `vs`, `vs-dark`, `hc-black` */
  async theme(name: string, bodyClass: string): Promise<void> {
    this.configure({ 'workbench.colorTheme': name });
    await this.reload();
    await this.page.locator(`.monaco-workbench.${bodyClass}`).waitFor({ timeout: 90_000 });
  }

  /** Fades end, charts are drawn; then the picture. */
  async shot(name: string): Promise<void> {
    await this.page.waitForTimeout(500);
    await this.page.screenshot({ path: path.join(ROOT, 'shots', `${name}.png`) });
  }
}
