// The page a webview panel loads: the frame around dist/webview.js with the strictest policy it can live under.
import type { ViewKind } from '../messages';

export interface PageParts {
  readonly kind: ViewKind;
  readonly title: string;
  /** Fresh and unguessable for every page. */
  readonly nonce: string;
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
}

export function viewHtml({ kind, title, nonce, cspSource, scriptUri, styleUri }: PageParts): string {
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    // The nonce is for the toolkit's own style element, which it marks with the csp-nonce property below.
    `style-src ${cspSource} 'nonce-${nonce}'`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta property="csp-nonce" content="${escaped(nonce)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="stylesheet" href="${escaped(styleUri)}">
</head>
<body data-view="${kind}">
<div id="root"></div>
<script nonce="${escaped(nonce)}" src="${escaped(scriptUri)}"></script>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
