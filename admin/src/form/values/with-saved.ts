/** What is written while a draft is being saved, and what the server answers, brought together. */
import { equalValues } from './equal.ts';
import { linksOf, relationValue } from './links.ts';
import { type Attribute, componentOf, isValues, KEY, type Model, rowsOf, type Schema, type Values } from './model.ts';
import { heldBackBy } from './problems.ts';

/**
 * The values of the form after a save: the server's where nothing has been written since, with the ids of rows that it
 * has made; else what was written since.
 *
 * @param values as they are now.
 * @param sent as they were when they were sent.
 * @param saved as the server has them now.
 */
export function withSaved(schema: Schema, model: Model, values: Values, sent: Values, saved: Values): Values {
  return rowWithSaved(schema, model, values, sent, saved);
}

function rowWithSaved(schema: Schema, model: Model | undefined, values: Values, sent: Values, saved: Values): Values {
  if (!model) return values;
  const merged: Record<string, unknown> = { ...saved };
  if (values[KEY] !== undefined) merged[KEY] = values[KEY];
  for (const attribute of model.attributes) {
    const { name } = attribute;
    const value = valueWithSaved(schema, attribute, values[name], sent[name], saved[name]);
    if (value === undefined) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

function valueWithSaved(schema: Schema, attribute: Attribute, value: unknown, sent: unknown, saved: unknown): unknown {
  if (heldBackBy(attribute, value)) return value;
  const hasRows = attribute.type === 'dynamiczone' || (attribute.type === 'component' && attribute.repeatable);
  if (hasRows && Array.isArray(value)) {
    const [formers, stored] = [rowsOf(sent), rowsOf(saved)];
    if (formers.length !== stored.length) return value;
    return rowsOf(value).map((row) => {
      const place = formers.findIndex((former) =>
        row[KEY] === undefined ? sameRow(former, row) : former[KEY] === row[KEY],
      );
      if (place < 0) return row;
      return rowWithSaved(schema, componentOf(schema, attribute, row), row, formers[place]!, stored[place]!);
    });
  }
  if (attribute.type === 'component' && isValues(value) && isValues(sent) && isValues(saved)) {
    return rowWithSaved(schema, componentOf(schema, attribute, value), value, sent, saved);
  }
  if (equalValues(schema, attribute, value, sent, 'stored')) return saved;
  return attribute.type === 'relation' ? linksWithSaved(value, sent, saved) : value;
}

/** Of links that are not all read the server has those that were sent: without knowing so, none of them could be taken away. */
function linksWithSaved(value: unknown, sent: unknown, saved: unknown): unknown {
  const { items, count } = linksOf(saved);
  return count > items.length ? relationValue({ ...linksOf(value), known: linksOf(sent).items }) : value;
}

function sameRow(a: Values, b: Values): boolean {
  return a['id'] !== undefined && a['id'] === b['id'] && a['__component'] === b['__component'];
}
