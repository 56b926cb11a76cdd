/** Which files of a project do anything of their own: those that only ask for Strapi's defaults are not named at start. */
import type { Module } from './reading/module.ts';
import { type AnyNode, isFunction, plain, walk } from './reading/syntax.ts';
import type { SourceFile } from './source-files.ts';
import type { Sources } from './sources.ts';

/** Places of code that Strapi would run; files elsewhere are imported by these. */
const PLACES =
  /^(?:[^/]+\/)*?src\/(?:api\/[^/]+\/(?:controllers|services|routes|policies|middlewares)\/|api\/[^/]+\/content-types\/[^/]+\/lifecycles\.|api\/[^/]+\/index\.|middlewares\/|policies\/|extensions\/|plugins\/|index\.)/;

/** Paths of the files that are not run, each plugin as one. `honoured` are those of routers that are done as they say. */
export function codeNotRun(
  custom: readonly SourceFile[],
  sources: Sources | undefined,
  honoured: ReadonlySet<string>,
): string[] {
  const isDone = (file: SourceFile): boolean => {
    const module = sources?.module(file.path);
    return asksForDefaults(file, module) || (honoured.has(file.path) && module !== undefined && declares(module));
  };
  const code = custom.filter((file) => !file.isElsewhere && PLACES.test(file.path) && !isDone(file));
  return [...new Set(code.map(({ path }) => /^src\/plugins\/[^/]+/.exec(path)?.[0] ?? path))];
}

/** Whether a file, however it is written, only asks for Strapi's defaults, or contains no code at all. */
export function asksForDefaults({ role }: Pick<SourceFile, 'role'>, module: Module | undefined): boolean {
  if (!module) return false;
  const { exported } = module;
  if (exported.kind === 'nothing') return true;
  if (exported.kind !== 'value' || !declares(module)) return false;
  const value = plain(exported.node);
  if (role === 'routes' || role === 'controller' || role === 'service') {
    return value.type === 'CallExpression' && value.arguments.length === 1 && value.arguments[0]!.type === 'Literal';
  }
  if (role !== 'index' || value.type !== 'ObjectExpression') return false;
  return value.properties.every((property) => {
    const inner = property.type === 'Property' ? plain(property.value) : undefined;
    return (
      inner !== undefined && isFunction(inner) && inner.body.type === 'BlockStatement' && inner.body.body.length === 0
    );
  });
}

/** Whether a module does nothing but to declare and export. */
const declares = ({ program }: Module): boolean => (program.body as AnyNode[]).every((one) => isDeclaring(one));

/** Whether a statement imports, requires, exports, or is a directive. */
function isDeclaring(statement: AnyNode): boolean {
  if (statement.type === 'ExpressionStatement') {
    const expression = plain(statement.expression);
    return expression.type === 'Literal' || expression.type === 'AssignmentExpression';
  }
  if (statement.type !== 'VariableDeclaration') return /^(?:Import|Export|TS|Empty)/.test(statement.type);
  return statement.declarations.every(({ init }) => {
    const value = init && plain(init);
    if (!value || isInert(value)) return true;
    const called = value.type === 'MemberExpression' ? plain(value.object) : value;
    return called.type === 'CallExpression' && called.callee.type === 'Identifier' && called.callee.name === 'require';
  });
}

/** Whether an expression runs nothing: it is written down. */
function isInert(expression: AnyNode): boolean {
  let inert = true;
  walk(
    expression,
    (node) => {
      inert &&= isFunction(node) || !/^(?!Object|Array|Template|TS).*Expression$/.test(node.type);
    },
    (node) => !isFunction(node),
  );
  return inert;
}
