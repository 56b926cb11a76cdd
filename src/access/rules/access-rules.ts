/**
 * The project's rules of access (docs/extending.md, "Access"): conditions on rows by action, and lists of fields, for
 * all callers and for single roles. Resolved against the Catalog, they become parts of Views.
 */
import { ContentError, Mistake, within } from '../../errors.ts';
import { choices } from '../../nearest.ts';
import type { RawObject } from '../../query/params.ts';
import {
  type Attribute,
  isCreator,
  isPolymorphic,
  isScalar,
  type Model,
  showsCreatorsOf,
} from '../../schema/catalog.ts';
import { type Fields, fieldTree } from '../field-tree.ts';
import { ACCESS_ACTIONS, type AccessAction, type Grants } from '../grants.ts';
import { type RowRules, rowConditions } from '../row-conditions.ts';
import type { RowConditions, View, ViewParts } from '../view.ts';

/** The rules of one type. */
export interface TypeRules {
  /** A condition written as `filters`; true: every row, false: none. An action without a rule has every row. */
  readonly rows: Readonly<Partial<Record<AccessAction, RawObject | boolean>>>;
  /** Dotted names of attributes; undefined: all. */
  readonly read?: readonly string[] | undefined;
  /** Dotted names; undefined: the readable ones. */
  readonly write?: readonly string[] | undefined;
}

export interface TypeAccess extends TypeRules {
  /** By the type of a role: each part replaces that of all callers. */
  readonly roles: Readonly<Record<string, TypeRules>>;
}

/** By the uid of a type. */
export type AccessRules = ReadonlyMap<string, TypeAccess>;

const NO_ROW: RawObject = { id: { $null: 'true' } };

/** The rules of access of a project. */
export class Access {
  readonly #rules: AccessRules;

  constructor(rules: AccessRules) {
    this.#rules = rules;
  }

  /** Part of the key of Views: callers with equal grants may be of different roles. */
  keyOf({ all, role }: Grants): string {
    return this.#rules.size === 0 || all ? '' : `\nrole ${role ?? ''}`;
  }

  /** The rules of a type for callers with some grants. Full-access tokens have none. */
  of(uid: string, { all, role }: Grants): TypeRules | undefined {
    const own = this.#rules.get(uid);
    if (!own || all) return undefined;
    const special = role !== undefined && Object.hasOwn(own.roles, role) ? own.roles[role] : undefined;
    if (!special) return own;
    const { read = own.read, write = special.read === undefined ? own.write : undefined } = special;
    return { rows: { ...own.rows, ...special.rows }, read, write: special.write ?? write };
  }

  /**
   * Parts of the View of callers with some grants.
   *
   * @param everything a View that sees everything, to resolve conditions with.
   * @param rules conditions on visible rows, to which those of this project are added.
   */
  partsFor(everything: View, grants: Grants, rules: RowRules): Pick<ViewParts, 'rows' | 'writesFor' | Restricting> {
    const types = [...this.#rules.keys()].flatMap((uid) => {
      const own = this.of(uid, grants);
      return own ? [[uid, own] as const] : [];
    });
    const shown = withRules(rules, types, 'find');
    const writesFor = (actions: readonly AccessAction[]): RowConditions | undefined => {
      if (!types.some(([, own]) => actions.some((action) => conditionOf(own, action)))) return undefined;
      return rowConditions(
        everything,
        actions.reduce((all, action) => withRules(all, types, action), shown),
      );
    };
    return { ...fieldsOf(everything, types), rows: rowConditions(everything, shown), writesFor };
  }

  /**
   * Resolves all rules, so that a wrong one is reported at the start.
   *
   * @throws Error for a rule that cannot be resolved, with its place.
   */
  check(everything: View): void {
    for (const [uid, { roles, ...own }] of this.#rules) {
      for (const [role, rules] of [[undefined, own] as const, ...Object.entries(roles)]) {
        const trail = ['access', uid, ...(role === undefined ? [] : ['roles', role])];
        const place = `access of ${uid}${role === undefined ? '' : `, role ${role}`}`;
        for (const action of ACCESS_ACTIONS) {
          const condition = conditionOf(rules, action);
          if (!condition) continue;
          const resolve = () => rowConditions(everything, { [uid]: condition });
          within([...trail, action], () => namingMistakes(everything, uid, resolve), `${place}, ${action}`);
        }
        for (const list of ['read', 'write'] as const) {
          const check = () => {
            for (const name of rules[list] ?? []) requireField(everything, uid, name, list);
          };
          within([...trail, list], check, `${place}, ${list}`);
        }
      }
    }
  }
}

type Restricting = 'readable' | 'writable';
type OfType = readonly [uid: string, rules: TypeRules];

/** The filter of an action's rule; undefined where it has every row. */
function conditionOf({ rows }: TypeRules, action: AccessAction): RawObject | undefined {
  const rule = rows[action];
  if (rule === undefined || rule === true) return undefined;
  return rule === false ? NO_ROW : rule;
}

function withRules(rules: RowRules, types: readonly OfType[], action: AccessAction): RowRules {
  const own = types.flatMap(([uid, ofType]) => {
    const condition = conditionOf(ofType, action);
    if (!condition) return [];
    const known = rules[uid];
    return [[uid, known ? { $and: [known, condition] } : condition] as const];
  });
  return { ...rules, ...Object.fromEntries(own) };
}

function fieldsOf({ catalog }: View, types: readonly OfType[]): Pick<ViewParts, Restricting> {
  const readable = new Map<string, Fields>();
  const written = new Map<string, Fields>();
  for (const [uid, { read, write = read }] of types) {
    if (read) readable.set(uid, fieldTree(read));
    if (write) written.set(uid, fieldTree(write));
  }
  const whole = [...catalog.contentTypes.keys()].map((uid) => [uid, true] as const);
  return {
    ...(readable.size > 0 ? { readable } : {}),
    // a type without an entry would not be writable
    ...(written.size > 0 ? { writable: new Map<string, Fields>([...whole, ...written]) } : {}),
  };
}

/**
 * @throws Mistake for an unknown attribute, for a path into an attribute that is not a component, and for a readable
 * field that no caller can see.
 */
function requireField({ catalog }: View, uid: string, dotted: string, list: 'read' | 'write'): void {
  let model: Model = catalog.contentTypes.get(uid)!;
  let above: Attribute | undefined;
  for (const name of dotted.split('.')) {
    if (above) model = componentOf(catalog, above, dotted);
    const attribute = model.attributes.get(name);
    if (!above && list === 'read' && showsCreatorsOf(model) && isCreator(model, dotted)) return;
    if (!attribute) {
      throw new Mistake(`there is no attribute ${dotted}${choices(name, model.attributes.keys())}`, [dotted]);
    }
    if (list === 'read' && (attribute.private || attribute.type === 'password' || attribute.secret)) {
      const kind = attribute.type === 'password' ? 'a password' : attribute.private ? 'private' : 'a secret';
      throw new Mistake(`${dotted} is ${kind} and never part of an answer: only write may name it`, [dotted]);
    }
    above = attribute;
  }
}

/** The component behind a name. @throws Mistake where it leads to none. */
function componentOf({ components }: View['catalog'], attribute: Attribute, dotted: string): Model {
  const { name, type } = attribute;
  if (type === 'component') return components.get(attribute.component)!;
  const wholes: Readonly<Record<string, string>> = {
    dynamiczone: 'a dynamic zone',
    relation: 'a relation',
    media: 'media',
  };
  const whole = wholes[type];
  const reason = whole === undefined ? 'has no parts' : `is ${whole}, named as a whole`;
  throw new Mistake(`there is no attribute ${dotted}: ${name} ${reason}`, [dotted]);
}

/** @throws Mistake for an unknown name in a condition, with the known ones. */
function namingMistakes(everything: View, uid: string, resolve: () => unknown): void {
  try {
    resolve();
  } catch (error) {
    const { key, path, hint } = (error instanceof ContentError ? error.details : undefined) ?? {};
    if (typeof key !== 'string') throw error;
    const steps = typeof path === 'string' ? path.split('.') : [];
    const names = namesAt(everything, uid, steps);
    const known = names === undefined || names.has(key) ? hint && `: ${hint}` : choices(key, names);
    const trail = steps.at(-1) === key ? steps : [...steps, key];
    throw new Mistake(`${(error as Error).message}${known ?? ''}`, trail, { cause: error });
  }
}

/** The names that a filter may have behind some attributes; undefined where these do not lead to rows. */
function namesAt(everything: View, uid: string, steps: readonly string[]): ReadonlySet<string> | undefined {
  let model: Model | undefined = everything.catalog.contentTypes.get(uid);
  for (const step of steps) {
    const attribute: Attribute | undefined = model?.attributes.get(step);
    if (!model || !attribute || isScalar(attribute) || isPolymorphic(attribute)) return undefined;
    model = everything.into(model, attribute);
  }
  return model && new Set(everything.of(model).visible);
}
