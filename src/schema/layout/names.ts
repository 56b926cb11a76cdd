/** Names of link and morph tables and of their columns, as Strapi 5 makes them. */
import type { Model, RelationAttribute } from '../catalog.ts';
import { short, snake } from './naming.ts';

export interface LinkNames {
  readonly table: string;
  readonly source: string;
  readonly target: string;
  readonly order: string | null;
  readonly inverseOrder: string | null;
}

/** The link table of an owning relation, seen from its owner. */
export function linkNames(model: Model, attribute: RelationAttribute, target: Model): LinkNames {
  const { relation } = attribute;
  const own = snake(model.singularName);
  const other = snake(target.singularName);
  const source = short(own, ['id']);
  const plainTarget = short(other, ['id']);

  const order = relation === 'oneToMany' || relation === 'manyToMany' ? short(other, ['ord']) : null;
  let inverseOrder: string | null = null;
  if (attribute.namesInverse && (relation === 'manyToOne' || relation === 'manyToMany')) {
    inverseOrder = short(own, ['ord']);
    if (inverseOrder === order) inverseOrder = short(['inv'], own, ['ord']);
  }
  return {
    table: short(snake(short(model.collectionName)), snake(attribute.name), ['lnk']),
    source,
    target: plainTarget === source ? short(['inv'], other, ['id']) : plainTarget,
    order,
    inverseOrder,
  };
}

export interface MorphTableNames {
  readonly table: string;
  readonly source: string;
  readonly id: string;
  readonly type: string;
  readonly field: string;
  readonly order: string;
}

/** The table of a morphToMany attribute. */
export function morphTableNames(model: Model, attribute: string): MorphTableNames {
  return {
    table: short(snake(short(model.collectionName)), snake(attribute), ['mph']),
    source: short(snake(model.singularName), ['id']),
    id: short(snake(attribute), ['id']),
    type: short(snake(attribute), ['type']),
    field: 'field',
    order: 'order',
  };
}
