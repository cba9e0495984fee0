// A comparison as one HTML file: the comparison view with its data inside, which loads nothing and asks no network.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { HostMessage } from '../messages';
import type { ComparisonView } from '../views/comparison/model';
import { escaped } from '../views/export/html';

export interface PageAssets {
  /** The webview's bundle. */
  readonly script: string;
  readonly style: string;
}

/** Beside the command as it is packed; undefined where it was not built. */
export function pageAssets(folder = __dirname): PageAssets | undefined {
  const [script, style] = [path.join(folder, 'webview.js'), path.join(folder, 'style.css')];
  if (!existsSync(script) || !existsSync(style)) return undefined;
  return { script: readFileSync(script, 'utf8'), style: readFileSync(style, 'utf8') };
}

/** What an editor's theme would give: its usual light and dark colours, by what the reader's system prefers. */
const LIGHT: Readonly<Record<string, string>> = {
  foreground: '#3b3b3b',
  descriptionForeground: '#5f5f5f',
  errorForeground: '#c72e0f',
  focusBorder: '#005fb8',
  'editor-background': '#ffffff',
  'editor-foreground': '#3b3b3b',
  'panel-border': '#e5e5e5',
  'editorWidget-border': '#c8c8c8',
  'editorHoverWidget-background': '#f8f8f8',
  'editorHoverWidget-foreground': '#3b3b3b',
  'editorHoverWidget-border': '#c8c8c8',
  'editorError-foreground': '#e51400',
  'editorWarning-foreground': '#a86f00',
  'testing-iconPassed': '#388a34',
  'list-hoverBackground': '#f2f2f2',
  'textLink-foreground': '#005fb8',
  'charts-green': '#388a34',
  'charts-purple': '#652d90',
  'charts-red': '#e51400',
  'charts-yellow': '#bf8803',
  'button-background': '#005fb8',
  'button-foreground': '#ffffff',
  'button-secondaryBackground': '#e5e5e5',
  'button-secondaryForeground': '#3b3b3b',
  'button-secondaryHoverBackground': '#cccccc',
  'dropdown-background': '#ffffff',
  'dropdown-foreground': '#3b3b3b',
  'dropdown-border': '#cecece',
  'isoperf-sideA': '#1F6FC4',
  'isoperf-sideB': '#B45309',
};

const DARK: Readonly<Record<string, string>> = {
  foreground: '#cccccc',
  descriptionForeground: '#9d9d9d',
  errorForeground: '#f85149',
  focusBorder: '#0078d4',
  'editor-background': '#1f1f1f',
  'editor-foreground': '#cccccc',
  'panel-border': '#2b2b2b',
  'editorWidget-border': '#313131',
  'editorHoverWidget-background': '#202020',
  'editorHoverWidget-foreground': '#cccccc',
  'editorHoverWidget-border': '#454545',
  'editorError-foreground': '#f14c4c',
  'editorWarning-foreground': '#cca700',
  'testing-iconPassed': '#73c991',
  'list-hoverBackground': '#2a2d2e',
  'textLink-foreground': '#4daafc',
  'charts-green': '#89d185',
  'charts-purple': '#b180d7',
  'charts-red': '#f14c4c',
  'charts-yellow': '#cca700',
  'button-background': '#0078d4',
  'button-foreground': '#ffffff',
  'button-secondaryBackground': '#313131',
  'button-secondaryForeground': '#cccccc',
  'button-secondaryHoverBackground': '#3c3c3c',
  'dropdown-background': '#313131',
  'dropdown-foreground': '#cccccc',
  'dropdown-border': '#3c3c3c',
  'isoperf-sideA': '#4DA3F7',
  'isoperf-sideB': '#E8913A',
};

const FONTS = `--vscode-font-family: system-ui, sans-serif; --vscode-font-size: 14px; --vscode-font-weight: normal;
  --vscode-editor-font-family: ui-monospace, monospace;`;

const variables = (theme: Readonly<Record<string, string>>): string =>
  Object.entries(theme)
    .map(([name, value]) => `--vscode-${name}: ${value};`)
    .join(' ');

export function comparisonHtml(view: ComparisonView, { script, style }: PageAssets): string {
  const nonce = randomBytes(18).toString('base64');
  const message: HostMessage = {
    type: 'comparison',
    view,
    restore: { kind: 'comparison', folders: [], intended: [] },
  };
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta property="csp-nonce" content="${nonce}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(view.title)}</title>
<style nonce="${nonce}">
:root { ${FONTS} ${variables(LIGHT)} color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { ${variables(DARK)} } }
${style.replaceAll('</style', String.raw`<\/style`)}
</style>
</head>
<body data-view="comparison" class="standalone vscode-light">
<div id="root"></div>
<script nonce="${nonce}">
${STAND_IN}
const message = ${inScript(JSON.stringify(message))};
</script>
<script nonce="${nonce}">${inScript(script)}</script>
</body>
</html>
`;
}

/** What VS Code gives a view, without an extension behind it: the data is sent once, and choices last as long as the page. */
const STAND_IN = `let state;
window.acquireVsCodeApi = () => ({
  postMessage: ({ type }) => { if (type === 'ready') window.postMessage(message, '*'); },
  getState: () => state,
  setState: (next) => { state = next; },
});
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => {
  document.body.classList.toggle('vscode-dark', dark.matches);
  document.body.classList.toggle('vscode-light', !dark.matches);
};
dark.addEventListener('change', follow);
follow();`;

/** Nothing in it ends the element it stands in; in JSON and in the strings of a bundle the escape is read as the same text. */
function inScript(text: string): string {
  return text.replaceAll('</', String.raw`<\/`).replaceAll('<!--', String.raw`<\!--`);
}
