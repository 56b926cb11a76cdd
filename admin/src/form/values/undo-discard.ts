/** Undoes taking back the changes of a draft. */
import { canBeRestored, type Difference, differences, restoredValue } from './differences.ts';
import { equalValues } from './equal.ts';
import { COMPONENT, componentOf, type Model, type Schema, type Values } from './model.ts';

/**
 * The changes that are lost when a draft is reset to its published version. Besides what publishing would change, these
 * are links to unpublished documents, which the published version does not have.
 */
export function changesToLose(
  schema: Schema,
  model: Model,
  draft: Values,
  published: Values | null,
): readonly Difference[] {
  return differences(schema, model, draft, published, 'shown');
}

/**
 * Whether the changes can be restored: not if some links were not loaded, nor if the type has passwords, which are not
 * readable.
 *
 * @param changes the result of `changesToLose`.
 */
export function canUndoDiscard(schema: Schema, model: Model, changes: readonly Difference[]): boolean {
  if (hasPassword(schema, model)) return false;
  return changes.every(
    ({ attribute, before, after }) => attribute.writable && canBeRestored(schema, attribute, after, before),
  );
}

function hasPassword(schema: Schema, model: Model | undefined, around: readonly string[] = []): boolean {
  if (!model || around.includes(model.uid)) return false;
  return model.attributes.some((attribute) => {
    if (attribute.type === 'password') return true;
    const within = [...around, model.uid];
    const uids = attribute.type === 'dynamiczone' ? (attribute.components ?? []) : [attribute.component];
    return uids.some((uid) => hasPassword(schema, componentOf(schema, attribute, { [COMPONENT]: uid }), within));
  });
}

/** The values to put into the form, by attribute. Restored rows take the ids of the draft's rows at the same places. */
export function valuesToRestore(schema: Schema, model: Model, now: Values, written: Values): Values {
  const changed = model.attributes.filter(
    (attribute) =>
      attribute.writable && !equalValues(schema, attribute, now[attribute.name], written[attribute.name], 'stored'),
  );
  return Object.fromEntries(
    changed.map((attribute) => {
      const { name } = attribute;
      return [name, restoredValue(schema, attribute, now[name], written[name])];
    }),
  );
}
