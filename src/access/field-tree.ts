/** Sets of fields that reach into components: `title`, `seo.metaTitle`, as permissions of administrators name them. */
import { type Catalog, type Model, modelOf } from '../schema/catalog.ts';

/** Names of fields, each with its part of the set: everything, or some fields of a component. */
export type FieldTree = ReadonlyMap<string, Fields>;
/** True: every field. */
export type Fields = true | FieldTree;

/** The set of dotted names. A name of a component covers all of its fields. */
export function fieldTree(names: Iterable<string>): FieldTree {
  const tree = new Map<string, Fields>();
  for (const name of names) add(tree, name.split('.'));
  return tree;
}

function add(tree: Map<string, Fields>, [first, ...rest]: readonly string[]): void {
  const known = tree.get(first!);
  if (known === true) return;
  if (rest.length === 0) {
    tree.set(first!, true);
    return;
  }
  const below = new Map(known);
  add(below, rest);
  tree.set(first!, below);
}

/** The union of two sets. */
export function union(one: Fields, other: Fields): Fields {
  if (one === true || other === true) return true;
  const tree = new Map(one);
  for (const [name, fields] of other) {
    const known = tree.get(name);
    tree.set(name, known === undefined ? fields : union(known, fields));
  }
  return tree;
}

/** The intersection of two sets. */
export function intersection(one: Fields, other: Fields): Fields {
  if (one === true) return other;
  if (other === true) return one;
  const tree = new Map<string, Fields>();
  for (const [name, fields] of one) {
    const known = other.get(name);
    const both = known === undefined ? undefined : intersection(known, fields);
    if (both === true || (both && both.size > 0)) tree.set(name, both);
  }
  return tree;
}

/** True for a subset. */
export function isWithin(one: Fields, other: Fields): boolean {
  if (other === true) return true;
  if (one === true) return false;
  return [...one].every(([name, fields]) => {
    const known = other.get(name);
    return known !== undefined && isWithin(fields, known);
  });
}

/** The dotted names of a set; null for every field. */
export function namesOf(fields: Fields): readonly string[] | null {
  if (fields === true) return null;
  return [...fields].flatMap(([name, below]) => namesOf(below)?.map((rest) => `${name}.${rest}`) ?? [name]);
}

/** Levels of components whose fields a permission names: the reference's limit. */
const LEVELS = 15;

/** Names of all attributes of a model. Attributes of a component follow the name of the component. */
export function fieldNames(catalog: Catalog, model: Model, levels = LEVELS): string[] {
  return [...model.attributes.values()].flatMap((attribute) => {
    if (attribute.type !== 'component' || levels === 1) return [attribute.name];
    const below = fieldNames(catalog, modelOf(catalog, attribute.component), levels - 1);
    return below.length === 0 ? [attribute.name] : below.map((name) => `${attribute.name}.${name}`);
  });
}

/** True where a set contains all fields of a dotted name. */
export function hasField(fields: Fields, name: string): boolean {
  let tree: Fields | undefined = fields;
  for (const part of name.split('.')) {
    if (tree === true) return true;
    tree = tree.get(part);
    if (tree === undefined) return false;
  }
  return isWithin(true, tree);
}
