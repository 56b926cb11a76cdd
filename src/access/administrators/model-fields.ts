/** Names of fields as permissions of administrators contain them. */
import { type Catalog, type Model, modelOf } from '../../schema/catalog.ts';
import { type Fields, isWithin } from '../field-tree.ts';

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
