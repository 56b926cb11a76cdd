/** Under which names code has strapi. What has it under another than `strapi` is not followed. */
import { type AnyNode, type FunctionNode, keyOf, namesOf, plain, walk } from './reading/syntax.ts';

const isNamedStrapi = (node: AnyNode): boolean => {
  const named = node.type === 'AssignmentPattern' ? node.left : node;
  return named.type === 'Identifier' && named.name === 'strapi';
};

/** Whether a node takes strapi out of something without calling it `strapi`: `{ strapi: app }`, `context.strapi`. */
export function isHiddenStrapi(node: AnyNode): boolean {
  if (node.type === 'MemberExpression') return keyOf(node) === 'strapi';
  if (node.type !== 'ObjectPattern') return false;
  return node.properties.some(
    (property) => property.type === 'Property' && keyOf(property) === 'strapi' && !isNamedStrapi(property.value),
  );
}

/** Whether a function that is given strapi, bare or as `{ strapi }`, has it as `strapi`, or does not look at it. */
export function takesStrapi(node: FunctionNode, index: number, form: 'bare' | 'wrapped'): boolean {
  const usesArguments = isUsed(node, new Set(['arguments']), undefined);
  const parameters = node.params as AnyNode[];
  const parameter = parameters[index];
  if (usesArguments || parameters.slice(0, index).some(({ type }) => type === 'RestElement')) return false;
  if (parameter === undefined) return true;
  if (form === 'bare' ? isNamedStrapi(parameter) : hasStrapiByName(parameter)) return true;
  // an unread parameter may have any name, but not a pattern, whose defaults and keys are code
  if (parameter.type !== 'Identifier' || parameter.name === 'this') return false;
  return !isUsed(node, new Set(namesOf(parameter)), parameter);
}

const hasStrapiByName = (parameter: AnyNode): boolean =>
  parameter.type === 'ObjectPattern' &&
  parameter.properties.every((property) => {
    const key = property.type === 'Property' ? keyOf(property) : undefined;
    return key !== undefined && property.type === 'Property' && (key !== 'strapi' || isNamedStrapi(property.value));
  });

function isUsed(root: AnyNode, names: ReadonlySet<string>, declared: AnyNode | undefined): boolean {
  let used = false;
  walk(root, (node) => {
    if (node.type === 'Identifier' && node !== declared && names.has(node.name)) used = true;
  });
  return used;
}

/** Names that strapi has in a file: `strapi`, and what is made of it by a pattern or a declaration. */
export function namesOfStrapi(program: AnyNode): ReadonlySet<string> {
  const names = new Set(['strapi']);
  const add = (pattern: AnyNode): void => {
    const named = pattern.type === 'AssignmentPattern' ? pattern.left : pattern;
    if (named.type === 'Identifier') names.add(named.name);
  };
  for (let before = 0; before < names.size; ) {
    before = names.size;
    walk(program, (node) => {
      if (node.type === 'ObjectPattern') {
        for (const property of node.properties) {
          if (property.type === 'Property' && keyOf(property) === 'strapi') add(property.value);
        }
      } else if (node.type === 'VariableDeclarator' && node.init && isStrapi(node.init, names)) add(node.id);
      else if (node.type === 'AssignmentExpression' && isStrapi(node.right, names)) add(node.left);
    });
  }
  return names;
}

/** Whether an expression is strapi itself: one of its names, or a member called `strapi`. */
export function isStrapi(expression: AnyNode, names: ReadonlySet<string>): boolean {
  const node = plain(expression);
  if (node.type === 'MemberExpression') return keyOf(node) === 'strapi';
  return node.type === 'Identifier' && names.has(node.name);
}
