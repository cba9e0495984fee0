// Which report the tabs of ours stand for, kept over reloads: VS Code tells of a hidden tab nothing but its title.
import type * as vscode from 'vscode';

const KEY = 'isoperf.openTabs';

/** Owns the list of open tabs in the workspace's memory: what is shown -> title. */
export class OpenTabs {
  constructor(private readonly memory: vscode.Memento) {}

  private all(): Readonly<Record<string, string>> {
    return this.memory.get<Readonly<Record<string, string>>>(KEY, {});
  }

  /** @param key what the tab shows: its kind and folders */
  remember(key: string, title: string): void {
    if (this.all()[key] !== title) void this.memory.update(KEY, { ...this.all(), [key]: title });
  }

  forget(key: string): void {
    const others = Object.entries(this.all()).filter(([other]) => other !== key);
    void this.memory.update(KEY, Object.fromEntries(others));
  }

  /** True when a tab of this title can show nothing else: folders of one name in two places have one title. */
  isOnly(key: string, title: string): boolean {
    return Object.entries(this.all()).every(([other, known]) => known !== title || other === key);
  }
}
