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

/**
 * @param {string} text of a TypeScript file
 * @returns {{ start: number, end: number, put: string, line: number, was: string }[]} in the order of the text; `start` to `end` is
 *   replaced by `put`
 */
export function mutantsOf(text) {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const found = [];
  const add = (node, put) => {
    const [start, end] = [node.getStart(source), node.getEnd()];
    const { line } = source.getLineAndCharacterOfPosition(start);
    found.push({ start, end, put, line: line + 1, was: text.slice(start, end) });
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    // What a defect throws says nothing to a user.
    if (ts.isThrowStatement(node)) return;
    mutate(node, add, source);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function mutate(node, add, source) {
  if (ts.isBinaryExpression(node)) {
    const { operatorToken, left, right } = node;
    const sentence = [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side));
    if (operatorToken.kind !== K.PlusToken || !sentence)
      for (const put of SWAPS.get(operatorToken.kind) ?? []) add(operatorToken, put);
    if (operatorToken.kind === K.QuestionQuestionToken) add(node, left.getText(source));
  } else if (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken) {
    add(node, node.operand.getText(source));
  } else if (node.kind === K.TrueKeyword) add(node, 'false');
  else if (node.kind === K.FalseKeyword) add(node, 'true');
  else if (ts.isNumericLiteral(node)) numeric(node, add);
  else if (ts.isStringLiteral(node) && isWord(node.text) && decides(node)) add(node, `'${node.text}!'`);
  else if (ts.isRegularExpressionLiteral(node)) alternatives(node, add);
  else if (ts.isIfStatement(node)) {
    add(node.expression, 'true');
    add(node.expression, 'false');
  } else if (ts.isConditionalExpression(node)) {
    add(node.condition, 'true');
    add(node.condition, 'false');
  } else if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) {
    if (node.expression.expression.kind !== K.SuperKeyword) add(node, ';');
  } else if (ts.isPropertyAccessExpression(node) && METHODS.has(node.name.text)) {
    add(node.name, METHODS.get(node.name.text));
  }
}

function numeric(node, add) {
  const value = Number(node.text.replaceAll('_', ''));
  const isIndex = ts.isElementAccessExpression(node.parent);
  add(node, value === 0 ? '1' : isIndex ? '0' : String(value * 5));
  if (Number.isInteger(value) && value > 1) add(node, String(value + 1));
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
