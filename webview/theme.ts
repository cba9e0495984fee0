// The editor's colours and fonts, read where canvas drawing needs them as values, and news of their change.

export interface Palette {
  readonly foreground: string;
  readonly faint: string;
  readonly grid: string;
  readonly background: string;
  readonly shade: string;
  readonly hoverBackground: string;
  readonly hoverForeground: string;
  readonly hoverBorder: string;
  readonly series: Readonly<Record<'blue' | 'orange' | 'green' | 'purple' | 'red' | 'yellow', string>>;
  readonly fontFamily: string;
  readonly fontSize: number;
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const value = (...names: readonly string[]): string => {
    for (const name of names) {
      const found = style.getPropertyValue(`--vscode-${name}`).trim();
      if (found !== '') return found;
    }
    return getComputedStyle(document.body).color;
  };
  return {
    foreground: value('foreground', 'editor-foreground'),
    faint: value('descriptionForeground', 'foreground'),
    // Mixed from the text colour: borders and guides of high-contrast themes would outshine the data.
    grid: faded(value('foreground', 'editor-foreground'), 0.16),
    background: value('editor-background'),
    shade: faded(value('foreground', 'editor-foreground'), 0.1),
    hoverBackground: value('editorHoverWidget-background', 'editor-background'),
    hoverForeground: value('editorHoverWidget-foreground', 'foreground'),
    hoverBorder: value('editorHoverWidget-border', 'contrastBorder', 'panel-border'),
    series: {
      // Of the two sides; the editor's own orange is too weak on some of its themes.
      blue: value('isoperf-sideA', 'charts-blue'),
      orange: value('isoperf-sideB', 'charts-orange'),
      green: value('charts-green'),
      purple: value('charts-purple'),
      red: value('charts-red'),
      yellow: isHighContrast() ? value('foreground') : value('charts-yellow'),
    },
    fontFamily: value('font-family'),
    fontSize: Number.parseFloat(value('font-size')) || 13,
  };
}

function isHighContrast(): boolean {
  return document.body.classList.contains('vscode-high-contrast');
}

/** Calls back once per change of theme. VS Code swaps the body's classes and the root's style attribute. */
export function onThemeChange(changed: () => void): void {
  let pending = false;
  const observer = new MutationObserver(() => {
    if (pending) return;
    pending = true;
    requestAnimationFrame(() => {
      pending = false;
      changed();
    });
  });
  observer.observe(document.body, { attributeFilter: ['class', 'data-vscode-theme-id'] });
  observer.observe(document.documentElement, { attributeFilter: ['style'] });
}

/** The same colour, let through: for points that overlap and series that step back. */
export function faded(colour: string, alpha: number): string {
  return `color-mix(in srgb, ${colour} ${Math.round(alpha * 100)}%, transparent)`;
}
