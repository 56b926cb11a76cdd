/**
 * Which fields are shown (`visibleIf`). Hidden fields keep their values: they are sent and saved as others are, and the
 * server does not validate them.
 */
import { holds, membersOf } from '../../../../src/schema/json-logic.ts';
import { filesOf, linksOf } from './links.ts';
import {
  type Attribute,
  componentOf,
  entriesOf,
  isToOne,
  isValues,
  type Model,
  type Path,
  type Schema,
  type Values,
} from './model.ts';
import { unparsedText } from './unparsed.ts';

/**
 * Whether a field is shown, by the values beside it. The server evaluates conditions in the same way when it publishes.
 *
 * @param row the document, or the row of a component, that the field is of.
 */
export function isShown(schema: Schema, model: Model, { visibleIf }: Attribute, row: Values): boolean {
  return visibleIf === undefined || holds(visibleIf, plainRow(schema, model, row, membersOf(visibleIf)));
}

/** Whether the field at a path is shown, and each that it is in. */
export function isPathShown(schema: Schema, model: Model, values: Values, path: Path): boolean {
  const [name, ...rest] = path;
  const attribute = model.attributes.find((one) => one.name === name);
  if (!attribute) return true;
  if (!isShown(schema, model, attribute, values)) return false;
  const value = values[attribute.name];
  const row = Array.isArray(value) ? value[Number(rest[0])] : value;
  const inside = Array.isArray(value) ? rest.slice(1) : rest;
  const component = isValues(row) && inside.length > 0 ? componentOf(schema, attribute, row) : undefined;
  return component ? isPathShown(schema, component, row, inside) : true;
}

/** The values of a row in the form in which conditions read them. @param only these attributes; all when left out. */
function plainRow(schema: Schema, model: Model, row: Values, only?: ReadonlySet<string>): Values {
  const attributes = model.attributes.filter(({ name }) => only?.has(name) ?? true);
  return Object.fromEntries(attributes.map((attribute) => [attribute.name, plainValue(schema, attribute, row)]));
}

function plainValue(schema: Schema, attribute: Attribute, row: Values): unknown {
  const value = row[attribute.name] ?? null;
  switch (attribute.type) {
    case 'relation':
      return linked(!isToOne(attribute), linksOf(value).count > 0);
    case 'media':
      return linked(attribute.multiple === true, filesOf(value).length > 0);
    case 'component':
    case 'dynamiczone': {
      const rows = entriesOf(value).map((one) => {
        const component = componentOf(schema, attribute, one);
        return component ? { __component: component.uid, ...plainRow(schema, component, one) } : one;
      });
      return attribute.type === 'dynamiczone' || attribute.repeatable ? rows : (rows[0] ?? null);
    }
    case 'password':
      return null;
    default:
      return unparsedText(value) ?? value;
  }
}

/** Conditions can only ask whether something is linked. */
const linked = (many: boolean, isLinked: boolean): unknown => (many ? (isLinked ? [{}] : []) : isLinked ? {} : null);
