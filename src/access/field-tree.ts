/** Sets of fields that reach into components: `title`, `seo.metaTitle`, as permissions of administrators name them. */
import { type Catalog, type Model, modelOf } from '../schema/catalog.ts';

/** Names with what belongs to the set below each: everything, or some names of a component. */
export type FieldTree = ReadonlyMap<string, Fields>;
/** True: every field. */
export type Fields = true | FieldTree;

/** The set that dotted names make. A name that stands for a whole takes in those below it. */
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

/** What belongs to either set. */
export function union(one: Fields, other: Fields): Fields {
  if (one === true || other === true) return true;
  const tree = new Map(one);
  for (const [name, fields] of other) {
    const known = tree.get(name);
    tree.set(name, known === undefined ? fields : union(known, fields));
  }
  return tree;
}

/** What belongs to both sets. */
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

/** Whether all of one set belongs to another. */
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

/** Components within components of which a permission names the fields: the reference's limit. */
const LEVELS = 15;

/** Names of all attributes of a model; of a component those of its own attributes, behind its name. */
export function fieldNames(catalog: Catalog, model: Model, levels = LEVELS): string[] {
  return [...model.attributes.values()].flatMap((attribute) => {
    if (attribute.type !== 'component' || levels === 1) return [attribute.name];
    const below = fieldNames(catalog, modelOf(catalog, attribute.component), levels - 1);
    return below.length === 0 ? [attribute.name] : below.map((name) => `${attribute.name}.${name}`);
  });
}

/** Whether a set of fields contains all that a dotted name stands for. */
export function hasField(fields: Fields, name: string): boolean {
  let tree: Fields | undefined = fields;
  for (const part of name.split('.')) {
    if (tree === true) return true;
    tree = tree.get(part);
    if (tree === undefined) return false;
  }
  return isWithin(true, tree);
}
