/**
 * Reads a middleware of `strapi.documents.use`, or a function that is subscribed to lifecycles: for which types and actions
 * it does anything but pass on.
 */
import { type Module, readModule } from './reading/module.ts';
import {
  type AnyNode,
  chainOf,
  type FunctionNode,
  isFunction,
  keyOf,
  namesOf,
  type Program,
  plain,
  walk,
} from './reading/syntax.ts';
import { textOf, textsOf, type Value, type Values } from './reading/values.ts';

/** A set of types and of actions, of the document service or of lifecycles; undefined: any. */
export interface Selection {
  readonly uid?: readonly string[] | undefined;
  readonly action?: readonly string[] | undefined;
}

type Part = keyof Selection;

/** All uids and actions that a function may be told of: what is left where it asks for all but some. */
export type Known = Readonly<Record<Part, readonly string[]>>;

/** Where a function finds the type and the action in what it is told. */
type Paths = Readonly<Record<Part, readonly string[]>>;
const OF_CONTEXT: Paths = { uid: ['uid', 'contentType.uid'], action: ['action'] };
const OF_EVENT: Paths = { uid: ['model.uid'], action: ['action'] };

/** The selections for which a middleware may do something: none for one that only passes on. */
export function selectionsOf(middleware: Value, values: Values, all: Known): readonly Selection[] {
  if (middleware.kind !== 'function') return [{}];
  const { node, module } = middleware;
  const [context, next] = node.params;
  // the context may be taken apart in the parameter already
  const known = (context?.type === 'Identifier' || context?.type === 'ObjectPattern') && next?.type === 'Identifier';
  if (!known) return [{}];
  const reader = new MiddlewareReader(context, next.name, localModule(node, module), {
    values,
    all,
    paths: OF_CONTEXT,
  });
  if (node.body.type !== 'BlockStatement') return reader.passesOn(node.body) ? [] : [{}];
  return reader.read(node.body.body);
}

/** The selections for which a function that is subscribed to lifecycles may do something. */
export function selectionsOfListener(listener: Value, values: Values, all: Known): readonly Selection[] {
  if (listener.kind !== 'function') return [{}];
  const { node, module } = listener;
  const [event, ...others] = node.params;
  const known = (event?.type === 'Identifier' || event?.type === 'ObjectPattern') && others.length === 0;
  if (!known || node.body.type !== 'BlockStatement') return [{}];
  const about = { values, all, paths: OF_EVENT };
  return new MiddlewareReader(event, undefined, localModule(node, module), about).read(node.body.body);
}

/** A module as a function sees it: names that the function declares mean what they mean there. */
function localModule(node: FunctionNode, module: Module): Module {
  const body = [{ type: 'ExpressionStatement', expression: node }];
  const { declarations } = readModule(module.path, { ...module.program, body } as unknown as Program);
  return { ...module, declarations: new Map([...module.declarations, ...declarations]) };
}

/** What a reader knows besides the function. */
interface About {
  readonly values: Values;
  readonly paths: Paths;
  readonly all: Known;
}

class MiddlewareReader {
  readonly #context: AnyNode;
  readonly #next: string | undefined;
  readonly #module: Module;
  readonly #values: Values;
  readonly #paths: Paths;
  readonly #all: Known;

  /** @param next the name of what goes on; undefined for a listener, of which nothing does. */
  constructor(context: AnyNode, next: string | undefined, module: Module, { values, paths, all }: About) {
    this.#context = context;
    this.#paths = paths;
    this.#next = next;
    this.#module = module;
    this.#values = values;
    this.#all = all;
  }

  /** Follows the statements of the body: what is under a condition on type or action, and what is behind such. */
  read(statements: readonly AnyNode[]): Selection[] {
    const { selected, end } = this.#follow(statements, {});
    // at the end of a middleware what `next` gives is not returned, which hides what there is
    return this.#next === undefined || !end ? selected : [...selected, end];
  }

  /** Follows some of the statements. @param here where they are reached. */
  #follow(statements: readonly AnyNode[], here: Selection): Followed {
    const selected: Selection[] = [];
    let end = here;
    for (const statement of statements) {
      if (statement.type === 'IfStatement') {
        const { test, consequent, alternate } = statement;
        const unclear = this.#unclear(test);
        if (unclear) selected.push(both(end, unclear));
        const otherwise = both(end, this.#when(test, false));
        const ways = [
          this.#follow(blockOf(consequent), both(end, this.#when(test, true))),
          alternate ? this.#follow(blockOf(alternate), otherwise) : { selected: [], end: otherwise },
        ];
        selected.push(...ways.flatMap((way) => way.selected));
        // where something may be done is known already, whatever is behind it
        const ends = ways.flatMap((way) => way.end ?? []);
        if (ends.length === 0) return { selected, end: undefined };
        end = ends.length === 1 ? ends[0]! : end;
      } else if (statement.type === 'SwitchStatement') {
        for (const { when, inner } of this.#casesOf(statement)) {
          selected.push(...this.#follow(inner, both(end, when)).selected);
        }
      } else if (!this.#isPassing(statement)) {
        return { selected: [...selected, end], end: undefined };
      } else if (statement.type === 'ReturnStatement') {
        // nothing behind it is reached
        return { selected, end: undefined };
      }
    }
    return { selected, end };
  }

  /** What is done in the cases of a `switch` on the type or the action; of any other, in whatever case. */
  #casesOf({ discriminant, cases }: AnyNode & { type: 'SwitchStatement' }): readonly Case[] {
    const part = this.#partOf(discriminant);
    const texts = cases.map(({ test }) => (test ? textOf(this.#values.read(test, this.#module)) : undefined));
    const isKnown = part && cases.every(({ test }, index) => !test || texts[index] !== undefined);
    // no statement that is known to do nothing
    if (!isKnown) return [{ when: {}, inner: [discriminant] }];
    return cases.map(({ test }, index) => {
      const behind = cases.slice(index).flatMap(({ consequent }) => consequent.flatMap(blockOf));
      const end = behind.findIndex(({ type }) => type === 'BreakStatement');
      const inner = end < 0 ? behind : behind.slice(0, end);
      const others = this.#all[part].filter((one) => !texts.includes(one));
      return { when: { [part]: test ? [texts[index]!] : others }, inner };
    });
  }

  /** `next()` or `await next()`. */
  passesOn(node: AnyNode): boolean {
    const { root, steps } = chainOf(node);
    const isCall = steps.length === 1 && typeof steps[0] === 'object' && steps[0].call.length === 0;
    return root.type === 'Identifier' && root.name === this.#next && isCall;
  }

  /**
   * Whether a statement only passes on: it calls `next`, returns what that gave, or names parts of the context. One that
   * returns anything else, or nothing, hides what there is.
   */
  #isPassing(statement: AnyNode): boolean {
    if (statement.type === 'ReturnStatement') {
      return this.#next === undefined ? !statement.argument : this.#isOfNext(statement.argument);
    }
    if (statement.type === 'ExpressionStatement') return this.passesOn(statement.expression);
    if (statement.type !== 'VariableDeclaration') return false;
    return statement.declarations.every(({ init }) => !init || this.passesOn(init) || this.#isInert(init));
  }

  /** Whether an expression is what `next` gives, under a name or not. */
  #isOfNext(expression: AnyNode | null | undefined): boolean {
    if (!expression) return false;
    if (this.passesOn(expression)) return true;
    const node = plain(expression);
    const declaration = node.type === 'Identifier' ? this.#module.declarations.get(node.name) : undefined;
    return declaration?.kind === 'value' && declaration.keys.length === 0 && this.passesOn(declaration.init);
  }

  /** Whether an expression does nothing: it contains no assignment, and no call except of the given methods. */
  #isInert(node: AnyNode, methods: ReadonlySet<string> = NONE): boolean {
    let inert = true;
    walk(node, (inner) => {
      if (inner.type === 'CallExpression' && inner.callee.type === 'MemberExpression') {
        if (methods.has(keyOf(inner.callee) ?? '')) return;
      }
      inert &&= !/^(Call|New|Assignment|Update|Await|Yield|TaggedTemplate|Import)Expression$/.test(inner.type);
      inert &&= !(inner.type === 'UnaryExpression' && inner.operator === 'delete');
    });
    return inert;
  }

  /** Where a test itself may do something: it calls what is not known to only look. Undefined where it does not. */
  #unclear(test: AnyNode): Selection | undefined {
    const node = plain(test);
    if (this.#isInert(node, LOOKING)) return undefined;
    if (node.type !== 'LogicalExpression' || node.operator === '??') return {};
    const left = this.#unclear(node.left);
    // the right side matters only where the left one has not decided
    return left ?? this.#when(node.left, node.operator === '&&');
  }

  /** What must be the case where a test is true (or false). */
  #when(test: AnyNode, truth: boolean): Selection {
    const node = plain(test);
    if (node.type === 'UnaryExpression' && node.operator === '!') return this.#when(node.argument, !truth);
    if (node.type === 'LogicalExpression' && node.operator !== '??') {
      const parts = [this.#when(node.left, truth), this.#when(node.right, truth)] as const;
      return (node.operator === '&&') === truth ? both(...parts) : either(...parts);
    }
    if (node.type === 'BinaryExpression') {
      if (!/^[!=]==?$/.test(node.operator)) return {};
      const isEqual = node.operator.startsWith('=') === truth;
      for (const [side, other] of [
        [node.left, node.right],
        [node.right, node.left],
      ] as const) {
        const part = this.#partOf(side);
        const text = textOf(this.#values.read(other, this.#module));
        if (part && text !== undefined)
          return { [part]: isEqual ? [text] : this.#all[part].filter((one) => one !== text) };
      }
      return {};
    }
    if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression' && node.arguments.length === 1) {
      return this.#whenCalled(keyOf(node.callee), node.callee.object, node.arguments[0]!, truth);
    }
    return {};
  }

  /** The same of a method: `uids.includes(uid)`, `uid.startsWith('api::')`. */
  #whenCalled(method: string | undefined, object: AnyNode, argument: AnyNode, truth: boolean): Selection {
    const part = this.#partOf(argument);
    const texts = part && textsOf(this.#values.read(object, this.#module));
    if (texts && (method === 'includes' || method === 'has')) {
      return { [part]: truth ? texts : this.#all[part].filter((one) => !texts.includes(one)) };
    }
    const own = this.#partOf(object);
    const text = own && textOf(this.#values.read(argument, this.#module));
    if (text === undefined || !(method === 'startsWith' || method === 'endsWith' || method === 'includes')) return {};
    return { [own!]: this.#all[own!].filter((one) => one[method](text) === truth) };
  }

  /** Which part of the context an expression is: `context.uid`, or a name that was taken from it. */
  #partOf(expression: AnyNode): Part | undefined {
    const { root, steps } = chainOf(expression);
    if (root.type !== 'Identifier' || !steps.every((step) => typeof step === 'string')) return undefined;
    const keys = [...(this.#keysOf(root.name) ?? ['']), ...(steps as string[])];
    const path = keys.join('.');
    return (['uid', 'action'] as const).find((part) => this.#paths[part].includes(path));
  }

  /** The keys below the context that a name stands for; undefined for one that is not of it. */
  #keysOf(name: string): readonly string[] | undefined {
    const context = this.#context;
    const isContext = context.type === 'Identifier' && context.name === name;
    if (isContext) return this.#module.declarations.get(name)?.kind === 'unknown' ? [] : undefined;
    if (context.type === 'ObjectPattern' && namesOf(context).includes(name)) {
      return keysIn(context, name);
    }
    const declaration = this.#module.declarations.get(name);
    if (declaration?.kind !== 'value' || isFunction(declaration.init)) return undefined;
    const { root, steps } = chainOf(declaration.init);
    const isOfContext = context.type === 'Identifier' && root.type === 'Identifier' && root.name === context.name;
    if (!isOfContext || !steps.every((step) => typeof step === 'string')) return undefined;
    return [...(steps as string[]), ...declaration.keys];
  }
}

/** What statements do, and where what is behind them is reached; undefined where that is nowhere. */
interface Followed {
  readonly selected: Selection[];
  readonly end: Selection | undefined;
}

interface Case {
  readonly when: Selection;
  readonly inner: readonly AnyNode[];
}

/** Methods of texts, lists and sets that only look. */
const LOOKING: ReadonlySet<string> = new Set(['includes', 'has', 'startsWith', 'endsWith', 'indexOf']);
const NONE: ReadonlySet<string> = new Set();

/** The keys that lead to a name within a pattern. */
function keysIn(pattern: AnyNode, name: string): readonly string[] | undefined {
  if (pattern.type === 'Identifier') return pattern.name === name ? [] : undefined;
  if (pattern.type !== 'ObjectPattern') return undefined;
  for (const property of pattern.properties) {
    const key = property.type === 'Property' ? keyOf(property) : undefined;
    const inner = property.type === 'Property' ? keysIn(property.value, name) : undefined;
    if (key !== undefined && inner) return [key, ...inner];
  }
  return undefined;
}

const blockOf = (node: AnyNode): readonly AnyNode[] => (node.type === 'BlockStatement' ? node.body : [node]);

/** Where both of two conditions hold. */
function both(a: Selection, b: Selection): Selection {
  const part = (key: Part) => {
    const [some, others] = [a[key], b[key]];
    return some && others ? some.filter((text) => others.includes(text)) : (some ?? others);
  };
  return { uid: part('uid'), action: part('action') };
}

/** Where one of two conditions holds: what both of them say. */
function either(a: Selection, b: Selection): Selection {
  const part = (key: Part) => (a[key] && b[key] ? [...a[key], ...b[key]] : undefined);
  return { uid: part('uid'), action: part('action') };
}
