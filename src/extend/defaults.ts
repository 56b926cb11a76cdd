/** Which files of a project do anything of their own: those that only ask for Strapi's defaults are not named at start. */
import type { Module } from './reading/module.ts';
import { type AnyNode, isFunction, plain } from './reading/syntax.ts';
import type { SourceFile } from './source-files.ts';
import type { Sources } from './sources.ts';

/** Places of code that Strapi would run; files elsewhere are imported by these. */
const PLACES =
  /^(?:[^/]+\/)*?src\/(?:api\/[^/]+\/(?:controllers|services|routes|policies|middlewares)\/|api\/[^/]+\/content-types\/[^/]+\/lifecycles\.|api\/[^/]+\/index\.|middlewares\/|policies\/|extensions\/|plugins\/|index\.)/;

/** Paths of the files that are not run, each plugin as one. */
export function codeNotRun(custom: readonly SourceFile[], sources: Sources | undefined): string[] {
  const code = custom.filter((file) => PLACES.test(file.path) && !asksForDefaults(file, sources?.module(file.path)));
  return [...new Set(code.map(({ path }) => /^src\/plugins\/[^/]+/.exec(path)?.[0] ?? path))];
}

/** Whether a file, however it is written, only asks for Strapi's defaults, or holds no code at all. */
export function asksForDefaults({ role }: Pick<SourceFile, 'role'>, module: Module | undefined): boolean {
  if (!module) return false;
  const { exported, program } = module;
  if (exported.kind === 'nothing') return true;
  const declares = (program.body as AnyNode[]).every((statement) => isDeclaring(statement));
  if (exported.kind !== 'value' || !declares) return false;
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

/** Whether a statement imports, requires, exports, or is a directive. */
function isDeclaring(statement: AnyNode): boolean {
  if (statement.type === 'ExpressionStatement') {
    const expression = plain(statement.expression);
    return expression.type === 'Literal' || expression.type === 'AssignmentExpression';
  }
  if (statement.type !== 'VariableDeclaration') return /^(?:Import|Export|TS|Empty)/.test(statement.type);
  return statement.declarations.every(({ init }) => {
    const value = init && plain(init);
    const called = value?.type === 'MemberExpression' ? plain(value.object) : value;
    return called?.type === 'CallExpression' && called.callee.type === 'Identifier' && called.callee.name === 'require';
  });
}
