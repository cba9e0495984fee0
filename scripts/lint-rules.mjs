// Lint rules of the house: no decision hangs on the words of a sentence, and no table is asked for a key that only its prototype has.

const PROSE = /^(message|words|title|label|summary|missing|remedy)$/;
const ASKS = new Set(['includes', 'startsWith', 'endsWith', 'match', 'matchAll', 'search', 'indexOf']);
const TESTS = new Set(['test', 'exec']);

/** Under `!`, `as` and `?.`. */
function bare(node) {
  let at = node;
  while (['TSNonNullExpression', 'TSAsExpression', 'TSSatisfiesExpression', 'ChainExpression'].includes(at?.type))
    at = at.expression;
  return at;
}

function nameOf(node) {
  const at = bare(node);
  if (at?.type === 'Identifier') return at.name;
  if (at?.type === 'MemberExpression' && !at.computed) return at.property.name;
  return undefined;
}

/** With types: lists and flags of these names are no prose. Without: everything is. */
function mayBeText(node, { parserServices: services }) {
  if (!services?.program) return true;
  const type = services.getTypeAtLocation(bare(node));
  const parts = type.isUnion() ? type.types : [type];
  // 4: string, 128 and up to 1024: literals and templates of strings (ts.TypeFlags), told by what every string can do.
  return parts.some((part) => part.getProperty('charCodeAt') !== undefined || part.isStringLiteral());
}

const proseDecision = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      prose: "'{{name}}' is prose: let the decision hang on a field (code, reason, kind), so that it may be reworded.",
    },
  },
  create(context) {
    const check = (node, subject) => {
      const name = nameOf(subject);
      if (name !== undefined && PROSE.test(name) && mayBeText(subject, context.sourceCode))
        context.report({ node, messageId: 'prose', data: { name } });
    };
    return {
      CallExpression(node) {
        const callee = bare(node.callee);
        if (callee.type !== 'MemberExpression' || callee.computed) return;
        if (ASKS.has(callee.property.name)) check(node, callee.object);
        else if (TESTS.has(callee.property.name) && node.arguments.length === 1) check(node, node.arguments[0]);
      },
      BinaryExpression(node) {
        if (!/^[!=]==?$/.test(node.operator)) return;
        const isText = (side) =>
          side.type === 'TemplateLiteral' || (typeof side.value === 'string' && side.value !== '');
        if (isText(node.right)) check(node, node.left);
        else if (isText(node.left)) check(node, node.right);
      },
    };
  },
};

const isStringRecord = (annotation) => {
  const type = annotation?.type === 'TSTypeReference' ? annotation : undefined;
  const [first] = type?.typeArguments?.params ?? [];
  if (type?.typeName?.name === 'Readonly' || type?.typeName?.name === 'Partial') return isStringRecord(first);
  return type?.typeName?.name === 'Record' && first?.type === 'TSStringKeyword';
};

const tableLookUp = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      table: "'{{name}}' answers for 'constructor' and '__proto__' too: ask `own({{name}}, key)`, or make it a Map.",
    },
  },
  create(context) {
    /** A table: an object written out, of any string to something. */
    const isTable = (node, name) => {
      for (let scope = context.sourceCode.getScope(node); scope !== null; scope = scope.upper) {
        const variable = scope.set.get(name);
        if (variable === undefined) continue;
        const declarator = variable.defs[0]?.node;
        return (
          declarator?.type === 'VariableDeclarator' &&
          bare(declarator.init)?.type === 'ObjectExpression' &&
          bare(declarator.init).properties.length > 0 &&
          isStringRecord(declarator.id.typeAnnotation?.typeAnnotation)
        );
      }
      return false;
    };
    const check = (node, table) => {
      if (table.type === 'Identifier' && isTable(node, table.name))
        context.report({ node, messageId: 'table', data: { name: table.name } });
    };
    return {
      MemberExpression(node) {
        const isWritten = node.parent.type === 'AssignmentExpression' && node.parent.left === node;
        if (node.computed && node.property.type !== 'Literal' && !isWritten) check(node, bare(node.object));
      },
      BinaryExpression(node) {
        if (node.operator === 'in') check(node, bare(node.right));
      },
    };
  },
};

export const house = { rules: { 'no-decision-on-prose': proseDecision, 'no-prototype-look-up': tableLookUp } };
