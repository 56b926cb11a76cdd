/** What a module declares, exports and may change: the ground on which values.ts reads it. */
import {
  type AnyNode,
  chainOf,
  type FunctionNode,
  isFunction,
  keyOf,
  namesOf,
  type Pattern,
  type Program,
  plain,
  walk,
} from './syntax.ts';

/** How a name comes to its value. */
export type Declaration =
  /** The value of an expression, or what is below these keys of it. */
  | { readonly kind: 'value'; readonly init: AnyNode; readonly keys: readonly string[] }
  | { readonly kind: 'import'; readonly source: string; readonly keys: readonly string[] }
  | { readonly kind: 'function'; readonly node: FunctionNode }
  /** A parameter, or a name whose value is not written out. */
  | { readonly kind: 'unknown' }
  /** Declared or assigned more than once: what it means depends on the place and the moment. */
  | { readonly kind: 'ambiguous' };

export interface Module {
  /** Path inside the project, with forward slashes. */
  readonly path: string;
  readonly program: Program;
  /** Names that are declared once in the whole file: whatever the scope, they mean one thing. */
  readonly declarations: ReadonlyMap<string, Declaration>;
  /** Names whose values may be changed after they were made, in any scope. */
  readonly changed: ReadonlySet<string>;
  readonly exported: Exported;
}

export type Exported =
  /** Nothing at run time: no code, or only types. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'value'; readonly node: AnyNode }
  /** `exports.a = …`, `export const a = …`: by name. */
  | { readonly kind: 'names'; readonly names: ReadonlyMap<string, AnyNode> }
  | { readonly kind: 'unknown' };

export function readModule(path: string, program: Program): Module {
  const found = new Map<string, Declaration[]>();
  const assigned = new Map<string, AnyNode[]>();
  walk(program, (node) => {
    declare(node, (name, declaration) => found.set(name, [...(found.get(name) ?? []), declaration]));
    if (node.type === 'AssignmentExpression' && node.left.type === 'Identifier') {
      const { name } = node.left;
      // `a += b` counts as two: no value is known
      const values = node.operator === '=' ? [node.right] : [node.right, node.right];
      assigned.set(name, [...(assigned.get(name) ?? []), ...values]);
    }
  });
  const declarations = new Map<string, Declaration>();
  for (const [name, all] of found) declarations.set(name, single(all, assigned.get(name) ?? []));
  return { path, program, declarations, changed: changedNames(program, found), exported: exportedBy(program) };
}

/** A variable that is declared without a value and given one in a single place has that value where it is read. */
function single(all: readonly Declaration[], values: readonly AnyNode[]): Declaration {
  const [only, ...others] = all;
  if (!only || others.length > 0) return { kind: 'ambiguous' };
  if (values.length === 0) return only;
  const isBare = only.kind === 'value' && only.init.type === 'VariableDeclarator';
  return isBare && values.length === 1 ? { kind: 'value', init: values[0]!, keys: [] } : { kind: 'ambiguous' };
}

function declare(node: AnyNode, add: (name: string, declaration: Declaration) => void): void {
  if (node.type === 'VariableDeclarator') {
    // one without a value stands for itself until it is assigned (see `single`)
    for (const { name, keys } of namesBelow(node.id)) {
      add(name, keys === undefined ? { kind: 'unknown' } : { kind: 'value', init: node.init ?? node, keys });
    }
  } else if (node.type === 'ImportDeclaration') {
    if ((node as { importKind?: string }).importKind === 'type') return;
    for (const specifier of node.specifiers) {
      const keys =
        specifier.type === 'ImportSpecifier'
          ? [String('name' in specifier.imported ? specifier.imported.name : specifier.imported.value)]
          : specifier.type === 'ImportDefaultSpecifier'
            ? ['default']
            : [];
      add(specifier.local.name, { kind: 'import', source: String(node.source.value), keys });
    }
  } else if (isFunction(node)) {
    if (node.type === 'FunctionDeclaration' && node.id) add(node.id.name, { kind: 'function', node });
    for (const parameter of node.params) for (const name of namesOf(parameter)) add(name, { kind: 'unknown' });
  } else if (node.type === 'ClassDeclaration' && node.id) add(node.id.name, { kind: 'unknown' });
  else if (node.type === 'CatchClause' && node.param) {
    for (const name of namesOf(node.param)) add(name, { kind: 'unknown' });
  }
}

/**
 * The names of a pattern, each with the keys that lead to it; undefined keys where a default or a rest is in the way.
 */
function namesBelow(
  pattern: Pattern,
  keys: readonly string[] = [],
): { name: string; keys: readonly string[] | undefined }[] {
  if (pattern.type === 'Identifier') return [{ name: pattern.name, keys }];
  if (pattern.type !== 'ObjectPattern') return namesOf(pattern).map((name) => ({ name, keys: undefined }));
  return pattern.properties.flatMap((property) => {
    const key = property.type === 'Property' ? keyOf(property) : undefined;
    if (property.type !== 'Property' || key === undefined) {
      return namesOf(property as AnyNode).map((name) => ({ name, keys: undefined }));
    }
    return namesBelow(property.value, [...keys, key]);
  });
}

/** Methods that give something new and leave what they are called on as it is, which takes nothing from outside. */
const READING: ReadonlySet<string> = new Set([
  'concat',
  'slice',
  'includes',
  'indexOf',
  'join',
  'flat',
  'toString',
  'has',
]);
/** Functions that may be handed anything: they keep it as it is, or copy it. */
const KEEPING: ReadonlySet<string> = new Set([
  'createCoreRouter',
  'createCoreController',
  'createCoreService',
  'freeze',
]);

/**
 * Names of what may be changed after it was made: assigned to below, deleted from, called upon in a way that may change
 * it, or handed to something that may. What shares a value with such a name counts as well.
 */
function changedNames(program: Program, found: ReadonlyMap<string, readonly Declaration[]>): Set<string> {
  const changed = new Set<string>();
  /** Pairs of names that may have the same value. */
  const shared: [string, string][] = [];
  const share = (names: readonly string[], others: readonly string[]): void => {
    for (const name of names) for (const other of others) shared.push([name, other]);
  };
  walk(program, (node) => {
    if (node.type === 'AssignmentExpression') {
      markTargets(node.left, changed);
      share(namesOf(node.left), rootsOf(node.right));
    } else if (node.type === 'UpdateExpression') mark(chainOf(node.argument).root, changed);
    else if (node.type === 'UnaryExpression' && node.operator === 'delete') mark(chainOf(node.argument).root, changed);
    else if (node.type === 'TaggedTemplateExpression') for (const root of rootsOf(node.quasi)) changed.add(root);
    else if (node.type === 'VariableDeclarator' && node.init) share(namesOf(node.id), rootsOf(node.init));
    else if (node.type === 'ForOfStatement' || node.type === 'ForInStatement') {
      const left = node.left.type === 'VariableDeclaration' ? node.left.declarations[0]!.id : node.left;
      markTargets(left, changed);
      share(namesOf(left), rootsOf(node.right));
    } else if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      const callee = plain(node.callee);
      const name = callee.type === 'MemberExpression' ? keyOf(callee) : undefined;
      const changes = !READING.has(name ?? '') && !KEEPING.has(name ?? '');
      if (callee.type === 'MemberExpression' && changes) mark(chainOf(callee).root, changed);
      const called = callee.type === 'Identifier' ? callee.name : (name ?? '');
      if (KEEPING.has(called)) return;
      const [target, ...others] = node.arguments;
      if (isAssign(callee) && target && target.type !== 'SpreadElement') {
        // as an assignment of what the others have
        mark(chainOf(target).root, changed);
        const names = namesOf(plain(target));
        for (const other of others) share(names, rootsOf(other));
        return;
      }
      const functions = callee.type === 'Identifier' ? (found.get(callee.name) ?? []) : [];
      const parameters = functions.length === 1 ? parametersOf(functions[0]!) : undefined;
      node.arguments.forEach((argument, index) => {
        const roots = rootsOf(argument);
        if (parameters?.[index]) share(namesOf(parameters[index]), roots);
        else if (!READING.has(called)) for (const root of roots) changed.add(root);
      });
    }
  });
  for (let before = -1; before !== changed.size; ) {
    before = changed.size;
    for (const [name, other] of shared) if (changed.has(name)) changed.add(other);
  }
  return changed;
}

/** Whether `Object.assign` is called. */
export function isAssign(callee: AnyNode): boolean {
  const { root, steps } = chainOf(callee);
  return root.type === 'Identifier' && root.name === 'Object' && steps.length === 1 && steps[0] === 'assign';
}

/** Whatever an assignment's left side reaches into. */
function markTargets(left: AnyNode, changed: Set<string>): void {
  walk(left, (node) => {
    if (node.type === 'MemberExpression') mark(chainOf(node).root, changed);
  });
}

function mark(root: AnyNode, changed: Set<string>): void {
  if (root.type === 'Identifier') changed.add(root.name);
}

/** Names whose values an expression may contain or pass on. */
function rootsOf(expression: AnyNode): string[] {
  const names: string[] = [];
  if (isFunction(expression)) return names;
  walk(
    expression,
    (node, [parent]) => {
      if (node.type !== 'Identifier') return;
      const isKey =
        (parent?.type === 'MemberExpression' && parent.property === node && !parent.computed) ||
        (parent?.type === 'Property' && parent.key === node && parent.value !== node && !parent.computed);
      if (!isKey) names.push(node.name);
    },
    (node) => !isFunction(node),
  );
  return names;
}

function parametersOf(declaration: Declaration): readonly AnyNode[] | undefined {
  if (declaration.kind === 'function') return declaration.node.params;
  if (declaration.kind !== 'value' || declaration.keys.length > 0) return undefined;
  const init = plain(declaration.init);
  return isFunction(init) ? init.params : undefined;
}

function exportedBy(program: Program): Exported {
  const values: AnyNode[] = [];
  const names = new Map<string, AnyNode>();
  let isUnknown = false;
  let runs = false;
  for (const statement of program.body as AnyNode[]) {
    const type: string = statement.type;
    if (statement.type === 'ExportDefaultDeclaration') values.push(statement.declaration);
    else if (type === 'TSExportAssignment') values.push((statement as unknown as { expression: AnyNode }).expression);
    else if (statement.type === 'ExportAllDeclaration') isUnknown ||= !isTypeOnly(statement);
    else if (statement.type === 'ExportNamedDeclaration') {
      if (isTypeOnly(statement)) continue;
      runs = true;
      if (statement.declaration?.type === 'VariableDeclaration') {
        for (const { id, init } of statement.declaration.declarations) {
          for (const name of namesOf(id)) names.set(name, id.type === 'Identifier' && init ? init : statement);
        }
      } else if (statement.declaration && 'id' in statement.declaration) {
        const { declaration } = statement;
        names.set((declaration.id as { name: string }).name, declaration);
      }
      for (const { local, exported } of statement.specifiers) {
        const name = exported.type === 'Identifier' ? exported.name : String(exported.value);
        if (name === 'default' && !statement.source) values.push(local);
        else if (name === 'default') isUnknown = true;
        else names.set(name, statement.source ? statement : local);
      }
    } else if (!isTypeOnly(statement) && statement.type !== 'ImportDeclaration' && !isDirective(statement)) runs = true;
  }
  if (values.length > 0)
    return values.length > 1 || isUnknown ? { kind: 'unknown' } : { kind: 'value', node: values[0]! };
  if (isUnknown) return { kind: 'unknown' };
  const common = commonExports(program);
  if (common) return common;
  if (names.size > 0) return { kind: 'names', names };
  return runs ? { kind: 'names', names } : { kind: 'nothing' };
}

/** What `module.exports = …`, `exports.a = …` and compiled modules export; undefined without any of them. */
function commonExports(program: Program): Exported | undefined {
  const values: AnyNode[] = [];
  const names = new Map<string, AnyNode>();
  let others = 0;
  walk(program, (node, around) => {
    if (node.type !== 'Identifier' || (node.name !== 'module' && node.name !== 'exports')) return;
    const [parent] = around;
    if (parent?.type === 'MemberExpression' && parent.property === node && !parent.computed) return;
    if (parent?.type === 'Property' && parent.key === node && !parent.computed && parent.value !== node) return;
    const target = exportOf(node, around);
    if (target === undefined) others += isMark(parent) ? 0 : 1;
    else if (target.name === undefined || target.name === 'default') values.push(target.value);
    else if (target.name !== '__esModule') names.set(target.name, target.value);
  });
  if (values.length === 0 && names.size === 0 && others === 0) return undefined;
  // `exports.default = void 0` comes before the value in compiled modules
  const given = values.filter((value) => !(value.type === 'UnaryExpression' && value.operator === 'void'));
  if (others > 0 || given.length > 1 || (given.length === 1 && names.size > 0)) return { kind: 'unknown' };
  return given.length === 1 ? { kind: 'value', node: given[0]! } : { kind: 'names', names };
}

/** `Object.defineProperty(exports, '__esModule', …)` of compiled modules, and what bundlers make of it. */
function isMark(parent: AnyNode | undefined): boolean {
  if (parent?.type !== 'CallExpression' || parent.callee.type !== 'MemberExpression') return false;
  const [, marks] = parent.arguments;
  const method = keyOf(parent.callee);
  if (method === 'defineProperty') return marks !== undefined && isMarkName(marks);
  if (method !== 'defineProperties' || marks?.type !== 'ObjectExpression') return false;
  return marks.properties.every((property) => property.type === 'Property' && isMarkName(property.key));
}

function isMarkName(key: AnyNode): boolean {
  if (key.type === 'Literal') return key.value === '__esModule';
  if (key.type === 'Identifier') return key.name === '__esModule';
  return key.type === 'MemberExpression' && keyOf(key) === 'toStringTag';
}

/** What a statement at the top assigns to `module.exports`, to `exports`' names, or below `module.exports`. */
function exportOf(node: AnyNode, around: readonly AnyNode[]): { name: string | undefined; value: AnyNode } | undefined {
  const members = around.findIndex((outer) => outer.type !== 'MemberExpression');
  const assignment = around[members];
  const target = members === 0 ? node : around[members - 1];
  if (assignment?.type !== 'AssignmentExpression' || assignment.left !== target || assignment.operator !== '=')
    return undefined;
  if (around[members + 1]?.type !== 'ExpressionStatement' || around[members + 2]?.type !== 'Program') {
    return undefined;
  }
  const steps = chainOf(target as AnyNode).steps.map((step) => (typeof step === 'string' ? step : ''));
  const path = (node as { name: string }).name === 'module' ? steps.slice(1) : steps;
  if ((node as { name: string }).name === 'module' && steps[0] !== 'exports') return undefined;
  if ((node as { name: string }).name === 'exports' && steps.length === 0) return undefined;
  return path.length > 1 || path[0] === '' ? undefined : { name: path[0], value: assignment.right };
}

function isTypeOnly(statement: AnyNode): boolean {
  if (/^TS(InterfaceDeclaration|TypeAliasDeclaration)$/.test(statement.type)) return true;
  const { importKind, exportKind, declare } = statement as {
    importKind?: string;
    exportKind?: string;
    declare?: boolean;
  };
  if (declare === true || importKind === 'type' || exportKind === 'type') return true;
  const { declaration } = statement as { declaration?: AnyNode };
  return statement.type === 'ExportNamedDeclaration' && !!declaration && isTypeOnly(declaration);
}

const isDirective = (statement: AnyNode): boolean =>
  statement.type === 'EmptyStatement' ||
  (statement.type === 'ExpressionStatement' && plain(statement.expression).type === 'Literal');
