// Lint rules of the house: no decision hangs on the words of a sentence, and no table is asked for a key that only its prototype has.

const PROSE = /^(message|words|title|label|summary|missing|remedy)$/;
const ASKS = new Set(['includes', 'startsWith', 'endsWith', 'match', 'matchAll', 'search', 'indexOf']);
const TESTS = new Set(['test', 'exec']);
/** What they give back says what the text says. */
const KEEPS = new Set(
  'toLowerCase toUpperCase trim trimStart trimEnd slice substring replace replaceAll normalize split concat at'.split(
    ' ',
  ),
);

/** Under `!`, `as` and `?.`. */
function bare(node) {
  let at = node;
  while (['TSNonNullExpression', 'TSAsExpression', 'TSSatisfiesExpression', 'ChainExpression'].includes(at?.type))
    at = at.expression;
  return at;
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
    const { sourceCode } = context;
    /** What an expression takes its text from: `a.remedy ?? ''`, `${title}!`, and a variable that was set to either. */
    const proseIn = (given, seen = new Set()) => {
      const node = bare(given);
      if (!node || seen.has(node)) return undefined;
      seen.add(node);
      const first = (...parts) => {
        for (const part of parts) {
          const found = proseIn(part, seen);
          if (found !== undefined) return found;
        }
        return undefined;
      };
      const named = (name) => (PROSE.test(name) && mayBeText(node, sourceCode) ? name : undefined);
      switch (node.type) {
        case 'Identifier':
          return named(node.name) ?? fromVariable(node, (part) => first(part));
        case 'MemberExpression':
          return node.computed ? first(node.object) : named(node.property.name);
        case 'LogicalExpression':
        case 'BinaryExpression':
          return /^(?:\?\?|\|\||&&|\+)$/.test(node.operator) ? first(node.left, node.right) : undefined;
        case 'ConditionalExpression':
          return first(node.consequent, node.alternate);
        case 'TemplateLiteral':
          return first(...node.expressions);
        case 'CallExpression': {
          const callee = bare(node.callee);
          if (callee.type === 'Identifier' && callee.name === 'String') return first(...node.arguments);
          const keeps = callee.type === 'MemberExpression' && !callee.computed && KEEPS.has(callee.property.name);
          return keeps ? first(callee.object) : undefined;
        }
        default:
          return undefined;
      }
    };
    /** Of a constant: what it was set to, or the field it was taken out of. */
    const fromVariable = (node, look) => {
      let variable;
      for (let scope = sourceCode.getScope(node); scope && !variable; scope = scope.upper)
        variable = scope.set.get(node.name);
      const definition = variable?.defs[0];
      if (!definition || !['Variable', 'Parameter'].includes(definition.type)) return undefined;
      const field = fieldTaken(definition.name);
      if (field !== undefined) return PROSE.test(field) && mayBeText(node, sourceCode) ? field : undefined;
      return definition.node.id === definition.name ? look(definition.node.init) : undefined;
    };
    const check = (node, subject) => {
      const name = proseIn(subject);
      if (name !== undefined) context.report({ node, messageId: 'prose', data: { name } });
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
      SwitchStatement(node) {
        check(node, node.discriminant);
      },
    };
  },
};

/** `message` of `{ message: said }` and of `{ message: said = '' }`. */
function fieldTaken(name) {
  const value = name.parent.type === 'AssignmentPattern' ? name.parent : name;
  const property = value.parent;
  return property.type === 'Property' && property.value === value && !property.computed ? property.key.name : undefined;
}

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
