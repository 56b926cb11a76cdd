/** What a module imports at run time, in whatever form. */
import type { Module } from '../reading/module.ts';
import { type AnyNode, chainOf, keyOf, plain, walk } from '../reading/syntax.ts';
import { type Asked, askedBy, isBeside } from './module-names.ts';
import { isName, Scopes } from './scopes.ts';

export interface Import {
  /** As an import of that module, or of what is in that folder, is written: `../lib/words`. */
  readonly source: string;
  readonly isFolder: boolean;
  readonly line: number;
  /** The nodes around it, the nearest first. */
  readonly around: readonly AnyNode[];
}

/** An import of which nobody knows by reading it what it gets. */
export type UnreadImport = Pick<Import, 'line' | 'around'>;

export interface Imports {
  readonly known: readonly Import[];
  readonly unread: readonly UnreadImport[];
}

const MAKER = 'createRequire';
/** Members of `require` that load nothing. */
const HARMLESS: ReadonlySet<string | undefined> = new Set(['resolve', 'main', 'cache', 'paths']);
/** What `require` is a member of, if it is a name of the language. */
const OWNERS: ReadonlySet<string> = new Set(['module', 'process', 'require', 'globalThis', 'global']);

/** The imports of a module with a text. Those of types alone are gone when it is run. */
export function importsOf(module: Module, text: string): readonly Import[] {
  return allImports(module, text).known;
}

/** The same, and those that are not known. */
export function allImports(module: Module, text: string): Imports {
  const known: Import[] = [];
  const unread: UnreadImport[] = [];
  const reader = new Requires(module);
  walk(module.program, (node, around) => {
    const asked = reader.asked(node, around);
    if (asked === undefined || asked.kind === 'data') return;
    const line = text.slice(0, node.start).split('\n').length;
    const place = { around: [node, ...around], line };
    if (asked.kind === 'unknown') unread.push(place);
    else known.push({ source: asked.source, isFolder: asked.kind === 'folder', ...place });
  });
  return { known, unread };
}

const UNKNOWN: Asked = { kind: 'unknown' };

/** What of a module loads others: `import`, `require`, and what is made or kept to do so. */
class Requires {
  readonly #module: Module;
  #scopes: Scopes | undefined;

  constructor(module: Module) {
    this.#module = module;
  }

  get #names(): Scopes {
    this.#scopes ??= new Scopes(this.#module);
    return this.#scopes;
  }

  /** What a node loads; undefined where it loads nothing. */
  asked(node: AnyNode, around: readonly AnyNode[]): Asked | undefined {
    const source = declaredSource(node);
    if (source !== undefined) return { kind: 'module', source };
    if (node.type === 'ImportExpression') return this.#named(node.source as AnyNode);
    if (node.type === 'CallExpression') {
      const callee = plain(node.callee);
      if (isMaker(callee) && !this.#isKnownMaker(node, around)) return UNKNOWN;
      return this.#isRequire(callee) ? this.#named(node.arguments[0] as AnyNode | undefined) : undefined;
    }
    return this.#isKept(node, around) ? UNKNOWN : undefined;
  }

  #named(argument: AnyNode | undefined): Asked {
    if (!argument || argument.type === 'SpreadElement') return UNKNOWN;
    return askedBy(argument, this.#module.path, () => this.#names);
  }

  /** Whether what is called loads the module that it is given: `require`, or what `createRequire` has made. */
  #isRequire(callee: AnyNode): boolean {
    if (callee.type === 'Identifier') return callee.name === 'require' || this.#isMade(callee);
    if (callee.type === 'CallExpression') return isMaker(plain(callee.callee));
    return this.#isOfModule(callee);
  }

  /** `module.require`. */
  #isOfModule(node: AnyNode): boolean {
    if (node.type !== 'MemberExpression' || keyOf(node) !== 'require') return false;
    const object = plain(node.object);
    return object.type === 'Identifier' && object.name === 'module' && !this.#names.find('module', object);
  }

  /** Whether a name is that of what `createRequire` has made. */
  #isMade(node: AnyNode & { type: 'Identifier' }): boolean {
    // few modules have any
    if (!this.#makes) return false;
    const init = this.#names.find(node.name, node)?.init;
    return init?.type === 'CallExpression' && isMaker(plain(init.callee));
  }

  #found: boolean | undefined;
  get #makes(): boolean {
    if (this.#found === undefined) {
      let found = false;
      walk(this.#module.program, (node) => {
        found ||= node.type === 'CallExpression' && isMaker(plain(node.callee));
      });
      this.#found = found;
    }
    return this.#found;
  }

  /** Whether what `createRequire` makes looks from where the file is, and is called or has a name of its own. */
  #isKnownMaker(node: AnyNode & { type: 'CallExpression' }, [parent]: readonly AnyNode[]): boolean {
    const [place] = node.arguments;
    if (!place || !isBeside(place as AnyNode, this.#module.path, this.#names)) return false;
    if (parent?.type === 'CallExpression') return parent.callee === node;
    if (parent?.type === 'MemberExpression') return HARMLESS.has(keyOf(parent));
    if (parent?.type !== 'VariableDeclarator' || parent.id.type !== 'Identifier') return false;
    return this.#names.find(parent.id.name, parent.id)?.init !== undefined;
  }

  /** Whether a node hands on what loads modules, so that it may be called where that is not followed. */
  #isKept(node: AnyNode, around: readonly AnyNode[]): boolean {
    const [parent, outer] = around;
    if (!parent) return false;
    if (node.type === 'MemberExpression') {
      const key = keyOf(node);
      if (key === '_load') return true;
      if (key === MAKER) return !(parent.type === 'CallExpression' && plain(parent.callee) === node);
      if (key !== 'require') return false;
      const { root } = chainOf(node);
      const isOwned = root.type === 'Identifier' && OWNERS.has(root.name) && !this.#names.find(root.name, root);
      return isOwned && !(this.#isOfModule(node) && parent.type === 'CallExpression' && plain(parent.callee) === node);
    }
    if (node.type === 'ImportSpecifier') return renames(node.imported as AnyNode, node.local);
    if (node.type === 'Property' && outer?.type === 'VariableDeclarator') return renames(node.key, node.value);
    if (node.type !== 'Identifier' || isName(node, parent, outer)) return false;
    if (node.name === MAKER) return !(parent.type === 'CallExpression' && plain(parent.callee) === node);
    const isOwn = node.name === 'require' && !this.#names.find('require', node);
    if (!isOwn && !this.#isMade(node)) return false;
    if (parent.type === 'CallExpression' && plain(parent.callee) === node) return false;
    if (parent.type === 'MemberExpression' && parent.object === node) return !HARMLESS.has(keyOf(parent));
    return parent.type !== 'UnaryExpression' && parent.type !== 'BinaryExpression';
  }
}

/** Whether a function is `createRequire`, by its name. */
const isMaker = (callee: AnyNode): boolean =>
  callee.type === 'MemberExpression' ? keyOf(callee) === MAKER : callee.type === 'Identifier' && callee.name === MAKER;

/** Whether `createRequire` is given another name. */
const renames = (imported: AnyNode, local: AnyNode): boolean =>
  (imported as { name?: string }).name === MAKER && (local as { name?: string }).name !== MAKER;

/** What a declaration imports, or hands on. */
function declaredSource(node: AnyNode): string | undefined {
  const { importKind, exportKind, source, expression } = node as Written;
  if (importKind === 'type' || exportKind === 'type' || node.type === 'ImportExpression') return undefined;
  // `import words = require('../lib/words')`
  const named = (node.type as string) === 'TSExternalModuleReference' ? expression : source;
  return typeof named?.value === 'string' ? named.value : undefined;
}

/** What nodes have of imports. */
interface Written {
  readonly importKind?: string;
  readonly exportKind?: string;
  readonly source?: { readonly value?: unknown } | null;
  readonly expression?: { readonly value?: unknown } | null;
}
