/** Values that were written, put back after the draft has become what is published. */
import { canBeTakenBack, type Difference, differences, takenBack } from './differences.ts';
import { equalValues } from './equal.ts';
import { COMPONENT, componentOf, type Model, type Schema, type Values } from './model.ts';

/**
 * What a draft loses when its changes are taken back: besides what publishing would change, links to documents that are
 * drafts alone, which what is published does not have.
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
 * Whether what was written can be put back as it was, by somebody who may write it: not where more is linked than was read,
 * and not where there may be a password, which nobody has read.
 *
 * @param changes what was lost: see `changesToLose`.
 */
export function canReturn(schema: Schema, model: Model, changes: readonly Difference[]): boolean {
  if (hasPassword(schema, model)) return false;
  return changes.every(
    ({ attribute, before, after }) => attribute.writable && canBeTakenBack(schema, attribute, after, before),
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

/** What is to be put back into the form, by attribute. Rows that are new again are those of the draft where they stood. */
export function returned(schema: Schema, model: Model, now: Values, written: Values): Values {
  const changed = model.attributes.filter(
    (attribute) =>
      attribute.writable && !equalValues(schema, attribute, now[attribute.name], written[attribute.name], 'stored'),
  );
  return Object.fromEntries(
    changed.map((attribute) => {
      const { name } = attribute;
      return [name, takenBack(schema, attribute, now[name], written[name])];
    }),
  );
}
