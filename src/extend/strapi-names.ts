/** Under which names code has strapi. What has it under another than `strapi` is not followed. */
import { type AnyNode, keyOf, plain, walk } from './reading/syntax.ts';

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
