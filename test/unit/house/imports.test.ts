// The walls of the house: who may import whom. Read from the sources, so that a wrong import fails here with its name.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');

interface Import {
  readonly from: string; // "src/config/load.ts"
  readonly to: string; // "src/config/schema" or a package name
  readonly typeOnly: boolean;
}

function sources(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sources(name);
    return entry.name.endsWith('.ts') ? [name] : [];
  });
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const names = clause.namedBindings;
  return (
    clause.name === undefined &&
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.length > 0 &&
    names.elements.every((element) => element.isTypeOnly)
  );
}

function importsOf(file: string): Import[] {
  const source = ts.createSourceFile(file, readFileSync(path.join(ROOT, file), 'utf8'), ts.ScriptTarget.ES2022, true);
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean): void => {
    const to = specifier.startsWith('.') ? path.posix.join(path.posix.dirname(file), specifier) : specifier;
    found.push({ from: file, to, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      add((node.moduleSpecifier as ts.StringLiteral).text, isTypeOnly(node));
    }
    if (ts.isCallExpression(node)) {
      const isDynamic = node.expression.kind === ts.SyntaxKind.ImportKeyword;
      const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require';
      const first = node.arguments[0];
      if ((isDynamic || isRequire) && first && ts.isStringLiteral(first)) add(first.text, false);
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
      add(node.argument.literal.text, true);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Floors from the ground up. A room imports rooms of lower floors and itself, nothing else. */
const FLOORS: readonly (readonly string[])[] = [
  ['src/problem', 'src/own', 'src/sample-size', 'src/cores', 'src/figures', 'src/fast-paths'],
  ['src/config', 'src/metrics'],
  ['src/cluster'],
  ['src/client', 'src/folder', 'src/datagen', 'src/events'],
  ['src/readers', 'src/loadgen', 'src/simulator'],
  ['src/pitfalls'],
  ['src/language', 'src/audit', 'src/translate'],
  ['src/comparability'],
  ['src/experiment'],
  ['src/views'],
  ['src/run', 'src/messages'],
  ['src/reader-messages'],
  ['src/cli', 'src/extension'],
];

function roomOf(module: string): string {
  const [, name = ''] = module.split('/');
  return `src/${name.replace(/\.ts$/, '')}`;
}

function floorOf(room: string): number {
  return FLOORS.findIndex((floor) => floor.includes(room));
}

const IMPORTS = sources('src').flatMap(importsOf);
const WEB_IMPORTS = sources('webview').flatMap(importsOf);
const show = (list: readonly Import[]): string[] => list.map((entry) => `${entry.from} -> ${entry.to}`);

describe('import directions', () => {
  it('knows every room', () => {
    const rooms = new Set(sources('src').map(roomOf));
    expect([...rooms].filter((room) => floorOf(room) < 0)).toEqual([]);
  });

  it('run down: no room imports one of its own floor or above', () => {
    const wrong = IMPORTS.filter((entry) => {
      if (!entry.to.startsWith('src/')) return false;
      const from = roomOf(entry.from);
      const to = roomOf(entry.to);
      return from !== to && floorOf(to) >= floorOf(from);
    });
    expect(show(wrong)).toEqual([]);
  });

  it('have no circles between files, of types neither', () => {
    const graph = new Map<string, string[]>();
    for (const entry of IMPORTS) {
      if (!entry.to.startsWith('src/')) continue;
      const key = entry.from.replace(/\.ts$/, '');
      graph.set(key, [...(graph.get(key) ?? []), entry.to]);
    }
    const state = new Map<string, 'open' | 'done'>();
    const circles: string[] = [];
    const walk = (file: string, trail: readonly string[]): void => {
      if (state.get(file) === 'done') return;
      if (state.get(file) === 'open') {
        circles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
        return;
      }
      state.set(file, 'open');
      for (const next of graph.get(file) ?? []) walk(next, [...trail, file]);
      state.set(file, 'done');
    };
    for (const file of graph.keys()) walk(file, []);
    expect(circles).toEqual([]);
  });

  it('let only the extension see vscode', () => {
    expect(show(IMPORTS.filter((entry) => entry.to === 'vscode' && !entry.from.startsWith('src/extension/')))).toEqual(
      [],
    );
  });

  it('keep the engine out of the extension host', () => {
    const engine = ['src/run', 'src/loadgen', 'src/client', 'src/datagen', 'src/simulator'];
    const wrong = IMPORTS.filter(
      (entry) => entry.from.startsWith('src/extension/') && !entry.typeOnly && engine.includes(roomOf(entry.to)),
    );
    expect(show(wrong)).toEqual([]);
  });

  it.each([
    'undici',
    'yaml',
    'chart.js',
    '@vscode/webview-ui-toolkit',
    '@aws-sdk/client-s3',
    '@google-cloud/storage',
    'hyparquet',
    '@huggingface/jinja',
    '@huggingface/tokenizers',
  ])('let one file import %s', (name) => {
    const files = new Set(
      [...IMPORTS, ...WEB_IMPORTS]
        .filter((entry) => entry.to === name || entry.to.startsWith(`${name}/`))
        .map((entry) => entry.from),
    );
    expect([...files]).toHaveLength(1);
  });

  it('keep Node out of the rooms that work on text and values', () => {
    const pure = [
      'src/problem',
      'src/config',
      'src/metrics',
      'src/cluster',
      'src/pitfalls',
      'src/language',
      'src/readers',
      'src/audit',
      'src/comparability',
      'src/experiment',
      'src/translate',
      'src/views',
      'src/messages',
      'src/reader-messages',
    ];
    const wrong = IMPORTS.filter(
      (entry) =>
        /^(node:|fs$|path$|os$|crypto$)/.test(entry.to) &&
        (pure.includes(roomOf(entry.from)) || /^src\/folder\/(access|manifest|read)/.test(entry.from)),
    );
    expect(show(wrong)).toEqual([]);
  });

  it('let the webview take from src only messages and types', () => {
    const wrong = WEB_IMPORTS.filter(
      (entry) => entry.to.startsWith('src/') && !entry.typeOnly && entry.to !== 'src/messages',
    );
    expect(show(wrong)).toEqual([]);
    expect(show(WEB_IMPORTS.filter((entry) => entry.to.startsWith('node:')))).toEqual([]);
  });
});

describe('files', () => {
  it('stay under 400 lines and begin by saying what they are for', () => {
    const wrong: string[] = [];
    for (const file of ['src', 'webview', 'test'].flatMap(sources)) {
      const text = readFileSync(path.join(ROOT, file), 'utf8');
      const lines = text.split('\n').length;
      if (lines > 400) wrong.push(`${file}: ${lines} lines`);
      if (!/^(\/\/|\/\*\*?) ?\S/.test(text)) wrong.push(`${file}: no header sentence`);
    }
    expect(wrong).toEqual([]);
  });
});
