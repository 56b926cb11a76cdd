/** Merges the answer of a save with the changes that were made in the meantime. */
import { equalValues } from './equal.ts';
import { type Links, linksOf, relationValue, unloadedOf, withLoaded } from './links.ts';
import { type Attribute, componentOf, isValues, KEY, type Model, rowsOf, type Schema, type Values } from './model.ts';
import { draftProblemOf } from './problems.ts';

/**
 * The values of the form after a save: those of the server, including new row ids, except for changes that were made
 * since.
 *
 * @param values the current values.
 * @param sent the values when the request was sent.
 * @param saved the values in the answer.
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
  if (draftProblemOf(attribute, value)) return value;
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
  const isAsSent = equalValues(schema, attribute, value, sent, 'stored');
  if (attribute.type === 'relation') {
    return isAsSent ? withLoaded(linksOf(value), saved) : linksWithSaved(linksOf(value), linksOf(sent), linksOf(saved));
  }
  return isAsSent ? saved : value;
}

/** The values of the server, together with links that were loaded before. */
export function withLoadedLinks(schema: Schema, model: Model, values: Values, server: Values): Values {
  const result: Record<string, unknown> = { ...server };
  const inside = (attribute: Attribute, before: Values | undefined, row: Values): Values => {
    const component = componentOf(schema, attribute, row);
    return component && before && sameRow(before, row) ? withLoadedLinks(schema, component, before, row) : row;
  };
  for (const attribute of model.attributes) {
    const { name, type } = attribute;
    const [before, now] = [values[name], server[name]];
    if (now === undefined) continue;
    if (type === 'relation') result[name] = withLoaded(linksOf(before), now);
    else if (type === 'component' && isValues(now)) {
      result[name] = inside(attribute, isValues(before) ? before : undefined, now);
    } else if ((type === 'component' || type === 'dynamiczone') && Array.isArray(now)) {
      const formers = rowsOf(before);
      const former = (row: Values): Values | undefined => formers.find((old) => sameRow(old, row));
      result[name] = rowsOf(now).map((row) => inside(attribute, former(row), row));
    }
  }
  return result;
}

/** Marks the sent links as stored, for relations that are not fully loaded. Otherwise they could not be removed. */
function linksWithSaved(links: Links, sent: Links, saved: Links): unknown {
  if (unloadedOf(saved) === 0 && unloadedOf(links) === 0) return relationValue({ ...links, known: undefined });
  // Other links may have been added or removed on the server.
  const count = Math.max(0, saved.count + links.count - sent.count);
  return relationValue({ ...links, count, known: sent.items, knownTail: sent.tail });
}

function sameRow(a: Values, b: Values): boolean {
  return a['id'] !== undefined && a['id'] === b['id'] && a['__component'] === b['__component'];
}
