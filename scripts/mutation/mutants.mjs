// The mutants of a source file: one small change each, of a kind that a person makes by mistake.
import ts from 'typescript';

const K = ts.SyntaxKind;
const SWAPS = new Map([
  [K.LessThanToken, ['<=', '>']],
  [K.LessThanEqualsToken, ['<', '>']],
  [K.GreaterThanToken, ['>=', '<']],
  [K.GreaterThanEqualsToken, ['>', '<']],
  [K.EqualsEqualsEqualsToken, ['!==']],
  [K.ExclamationEqualsEqualsToken, ['===']],
  [K.PlusToken, ['-']],
  [K.MinusToken, ['+']],
  [K.AsteriskToken, ['/']],
  [K.SlashToken, ['*']],
  [K.PercentToken, ['*']],
  [K.AmpersandAmpersandToken, ['||']],
  [K.BarBarToken, ['&&']],
  [K.PlusEqualsToken, ['-=']],
  [K.MinusEqualsToken, ['+=']],
]);
const METHODS = new Map([
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['some', 'every'],
  ['every', 'some'],
  ['startsWith', 'endsWith'],
]);

/** A word that decides something, not a sentence: 'mixed', 'http503', 'server-usage'. */
const isWord = (text) => /^[A-Za-z][\w.-]*$/.test(text);
const isText = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
/** Fields of words that are shown and decide nothing. */
const SHOWN = /^(?:title|label|shortLabel|summary|message|remedy|consequence|words|missing|note|detail)$/;
const LAYOUT = /^(?:toFixed|toPrecision|padStart|padEnd|localeCompare)$/;

/**
 * @typedef {{ start: number, end: number, put: string, at: number, line: number, was: string, now: string }} Mutant `start` to `end`, one
 *   whole expression or statement, is replaced by `put`; `was` and `now` are its part that a person looks at, from `at` on
 * @param {string} text of a TypeScript file
 * @returns {Mutant[]} in the order of the text
 */
export function mutantsOf(text) {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const found = [];
  /** `whole` becomes what it is with `put` in place of `part`. */
  const add = (part, put, whole = part, statement = false) => {
    const [start, end, at, to] = [whole.getStart(source), whole.getEnd(), part.getStart(source), part.getEnd()];
    const { line } = source.getLineAndCharacterOfPosition(at);
    const written = text.slice(start, at) + put + text.slice(to, end);
    found.push({ start, end, at, put: written, statement, line: line + 1, was: text.slice(at, to), now: put });
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    // What a defect throws says nothing to a user.
    if (ts.isThrowStatement(node) || isShown(node, source)) return;
    mutate(node, add, source);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Sentences, their plurals and their layout: words that another sentence could say as well. */
function isShown(node, source) {
  if (ts.isTemplateExpression(node))
    return /\s/.test(node.head.text + node.templateSpans.map((span) => span.literal.text).join(''));
  if (ts.isPropertyAssignment(node))
    return SHOWN.test(node.name.getText(source)) && !ts.isNumericLiteral(node.initializer);
  if (ts.isConditionalExpression(node)) {
    const sides = [node.whenTrue, node.whenFalse];
    return sides.every(isText) && !sides.every((side) => ts.isStringLiteral(side) && isWord(side.text));
  }
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression))
    return LAYOUT.test(node.expression.name.text) || node.expression.expression.getText(source) === 'console';
  return isRemembered(node, source);
}

/** What is only remembered: a table of results that were computed already says the same when it is not asked. */
function isRemembered(node, source) {
  const text = node.getText(source);
  const table = /^([A-Z_]+)\.set\(/.exec(text)?.[1];
  if (table !== undefined) return source.text.includes(`${table} = new WeakMap`);
  return ts.isIfStatement(node) && /^if \((known|cached|kept)(?: !== undefined)?\) return \1;$/.test(text);
}

function mutate(node, add, source) {
  if (ts.isBinaryExpression(node)) {
    const { operatorToken, left, right } = node;
    if (operatorToken.kind !== K.PlusToken || ![left, right].some(isText))
      for (const put of SWAPS.get(operatorToken.kind) ?? []) add(operatorToken, put, node);
    if (operatorToken.kind === K.QuestionQuestionToken) add(node, left.getText(source));
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken) {
    add(node, node.operand.getText(source));
  } else if (node.kind === K.TrueKeyword) add(node, 'false');
  else if (node.kind === K.FalseKeyword) add(node, 'true');
  else if (ts.isNumericLiteral(node) && !(node.parent.name === node)) numeric(node, add);
  else if (ts.isStringLiteral(node) && isWord(node.text) && decides(node)) add(node, `'${node.text}!'`);
  else if (ts.isRegularExpressionLiteral(node)) alternatives(node, add);
  else if (ts.isIfStatement(node)) {
    add(node.expression, 'true');
    add(node.expression, 'false');
  } else if (ts.isConditionalExpression(node)) {
    add(node.condition, 'true');
    add(node.condition, 'false');
  } else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) {
    if (node.expression.expression.kind !== K.SuperKeyword) add(node, ';', node, true);
  } else if (ts.isPropertyAccessExpression(node) && METHODS.has(node.name.text) && ts.isCallExpression(node.parent)) {
    add(node.name, METHODS.get(node.name.text), node.parent);
  }
}

function numeric(node, add) {
  const value = Number(node.text.replaceAll('_', ''));
  const isIndex = ts.isElementAccessExpression(node.parent);
  add(node, value === 0 ? '1' : isIndex ? '0' : String(value * 5));
  if (Number.isInteger(value) && value > 1) add(node, String(value + 1));
}

/**
 * @param {string} text of a file @param {(Mutant & { id: number })[]} mutants of it
 * @returns {string} the text in which `__mutant(id)` says, each time it gets there, whether that mutant is on
 */
export function withSwitches(text, mutants) {
  const outerFirst = [...mutants].sort((a, b) => a.start - b.start || b.end - a.end || b.statement - a.statement);
  let next = 0;
  const write = (from, to) => {
    let out = '';
    let at = from;
    while (next < outerFirst.length && outerFirst[next].start < to) {
      const { start, end, statement } = outerFirst[next];
      out += text.slice(at, start);
      const same = [];
      while (
        next < outerFirst.length &&
        outerFirst[next].start === start &&
        outerFirst[next].end === end &&
        outerFirst[next].statement === statement
      )
        same.push(outerFirst[next++]);
      const inner = write(start, end);
      out += statement
        ? `if (!__mutant(${same[0].id})) ${inner}`
        : `(${same.map(({ id, put }) => `__mutant(${id}) ? (${put}) : `).join('')}(${inner}))`;
      at = end;
    }
    return out + text.slice(at, to);
  };
  return write(0, text.length);
}

/** Words in comparisons, cases, returns and values of fields; a title or a label is none of them. */
function decides({ parent }) {
  if (ts.isPropertyAssignment(parent)) return /^(?:kind|state|source|verdict|code|reason)$/.test(parent.name.getText());
  return (
    ts.isBinaryExpression(parent) ||
    ts.isCaseClause(parent) ||
    ts.isReturnStatement(parent) ||
    ts.isConditionalExpression(parent)
  );
}

/** One alternative less, at any depth: /a(?:b|c)/ to /a(?:c)/. */
function alternatives(node, add) {
  const { text } = node;
  /** Where the alternatives of each open group begin. */
  const groups = [[1]];
  const end = text.lastIndexOf('/');
  let isSet = false;
  for (let at = 1; at <= end; at++) {
    const letter = text[at];
    if (letter === '\\') at++;
    else if (isSet) isSet = letter !== ']';
    else if (letter === '[') isSet = true;
    else if (letter === '(')
      groups.push([at + (/^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(text.slice(at))?.[0].length ?? 1)]);
    else if (letter === '|') groups.at(-1).push(at + 1);
    else if (letter === ')' || at === end) {
      const starts = groups.pop();
      for (const [index, start] of starts.entries())
        if (starts.length > 1)
          add(
            node,
            text.slice(0, index === 0 ? start : start - 1) +
              text.slice((starts[index + 1] ?? at + 1) - (index === 0 ? 0 : 1)),
          );
    }
  }
}
