// Every sample of a view under a name, for `npm run views`: one page for each, as VS Code would show it.
import { viewHtml } from '../../src/extension/html';
import type { HostMessage, ViewKind } from '../../src/messages';
import {
  ALIGNED,
  brokenMessage,
  COMPARED,
  FAILED_REPORT,
  foreignMessage,
  liveMessage,
  LONG,
  POOR_REPORT,
  REPORT,
  SINGLE,
  SWEPT,
} from './samples';
import { BODY_CLASS, THEME_NAMES, THEMES, type ThemeName } from './themes';

interface Sample {
  readonly kind: ViewKind;
  readonly words: string;
  readonly message: () => HostMessage | Promise<HostMessage>;
}

const SAMPLES: Readonly<Record<string, Sample>> = {
  report: { kind: 'report', words: 'A run of several stages', message: () => REPORT },
  poor: { kind: 'report', words: 'Few requests, many failures, an engine that was killed', message: () => POOR_REPORT },
  single: { kind: 'report', words: 'One request in all', message: () => SINGLE },
  failed: { kind: 'report', words: 'Nothing was answered', message: () => FAILED_REPORT },
  foreign: { kind: 'report', words: 'A file of vLLM that contradicts itself', message: foreignMessage },
  compared: { kind: 'comparison', words: 'Two runs that differ in many ways', message: () => COMPARED },
  aligned: { kind: 'comparison', words: 'The same two with one step of alignment', message: () => ALIGNED },
  swept: { kind: 'comparison', words: 'Loads that coincide in part', message: () => SWEPT },
  long: { kind: 'comparison', words: 'Long names and figures of every length', message: () => LONG },
  live: { kind: 'live', words: 'A run under way', message: () => liveMessage(30) },
  broken: { kind: 'live', words: 'A run that broke before its first request', message: () => brokenMessage() },
};

const NONCE = 'dmlld3M';

/** The list of all samples in all themes. */
export function indexPage(): string {
  const rows = Object.entries(SAMPLES).map(([name, { words }]) => {
    const links = THEME_NAMES.map((theme) => `<a href="/view/${name}?theme=${theme}">${theme}</a>`);
    return `<li>${words}: ${links.join(', ')}</li>`;
  });
  return `<!DOCTYPE html><html lang="en"><meta charset="UTF-8"><title>IsoPerf views</title>
<body style="font-family: system-ui, sans-serif; line-height: 1.8"><h1>IsoPerf views</h1><ul>${rows.join('\n')}</ul></body></html>`;
}

/** A view with its real page and policy, and a stand-in for what VS Code provides; undefined for a name that is not there. */
export async function viewPage(name: string, theme: string, origin: string): Promise<string | undefined> {
  const sample = SAMPLES[name];
  if (sample === undefined) return undefined;
  const known: ThemeName = THEME_NAMES.find((each) => each === theme) ?? 'dark';
  const given = {
    message: await sample.message(),
    variables: THEMES[known],
    bodyClass: BODY_CLASS[known],
  };
  const page = viewHtml({
    kind: sample.kind,
    title: `IsoPerf: ${sample.words}`,
    nonce: NONCE,
    cspSource: origin,
    scriptUri: '/webview.js',
    styleUri: '/style.css',
  });
  const data = JSON.stringify(given).replaceAll('<', '\\u003c');
  return page.replace(
    '<div id="root">',
    () => `<script nonce="${NONCE}">(${standIn.toString()})(${data})</script>\n<div id="root">`,
  );
}

interface Given {
  readonly message: HostMessage;
  readonly variables: Readonly<Record<string, string>>;
  readonly bodyClass: string;
}

/** Runs in the page: the theme, an API that prints what is posted, and the message once the page is ready. */
function standIn({ message, variables, bodyClass }: Given): void {
  for (const [name, value] of Object.entries(variables))
    document.documentElement.style.setProperty(`--vscode-${name}`, value);
  document.body.className = bodyClass;
  let state: unknown = null;
  Object.assign(window, {
    acquireVsCodeApi: () => ({
      postMessage: (posted: { type: string }) => {
        console.log('posted', posted);
        if (posted.type === 'ready') window.postMessage(message, window.origin);
      },
      getState: () => state,
      setState: (next: unknown) => {
        state = next;
      },
    }),
  });
}
