// The one line to the extension: typed posts out, and the little a view keeps of itself across hiding and reloads.
import type { HostMessage, Restore, WebviewMessage } from '../src/messages';

interface VsCodeApi {
  postMessage(message: WebviewMessage): void;
  getState(): unknown;
  setState(state: SavedState): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** What the reader chose; `restore` is the extension's and opaque here. */
export interface SavedState {
  readonly restore?: Restore;
  readonly stage?: number | null;
  /** Chosen metric per chart group. */
  readonly choices?: Readonly<Record<string, number>>;
  readonly scroll?: number;
  /** Menu of a comparison that is unfolded. */
  readonly menu?: string | null;
  /** Load of a comparison's metrics: index of its table. */
  readonly table?: number;
  /** All metrics of a comparison are unfolded. */
  readonly metrics?: boolean;
  /** The notices of a report are unfolded. */
  readonly notices?: boolean;
}

const api = acquireVsCodeApi();

export function post(message: WebviewMessage): void {
  api.postMessage(message);
}

export function savedState(): SavedState {
  const state = api.getState();
  return typeof state === 'object' && state !== null ? state : {};
}

export function saveState(change: Partial<SavedState>): void {
  api.setState({ ...savedState(), ...change });
}

export function listen(receive: (message: HostMessage) => void): void {
  window.addEventListener('message', (event: MessageEvent<HostMessage>) => {
    // VS Code's own frame relays the extension's messages under this page's origin; nobody else may speak here.
    if (event.origin !== window.origin) return;
    receive(event.data);
  });
}
