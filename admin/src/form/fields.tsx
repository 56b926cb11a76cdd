/** The fields of a model in the rows of its arrangement. */
import { memo, type ReactNode } from 'react';
import styles from './form.module.css';
import { FormField } from './form-field.tsx';
import { useHost } from './host.ts';
import type { Attribute, Model, Path, Values } from './values/model.ts';
import { isShown } from './values/shown.ts';

interface Props {
  readonly model: Model;
  /** Where the values stand; the same object for as long as it is the same place. */
  readonly path: Path;
  readonly values: Values;
  readonly published: Values | undefined;
  /** Each on a line of the grid around them, from the second on, so that two forms stand level. */
  readonly isLevel?: boolean | undefined;
}

/** Of a row of twelve. */
const WHOLE = 12;

/** How many lines the fields of a model take where they stand level. */
export function linesOf({ attributes, layout }: Model): number {
  const names = new Set(attributes.map(({ name }) => name));
  return layout.edit.flat().filter(({ name }) => names.has(name)).length;
}

export const Fields = memo(function Fields({ model, path, values, published, isLevel }: Props): ReactNode {
  // what names the document is as large as on the site, and has a row to itself
  const isTitle = ({ name, type }: Attribute) =>
    path.length === 0 && name === model.layout.mainField && type === 'string';
  const { schema } = useHost();
  const attributes = new Map(model.attributes.map((attribute) => [attribute.name, attribute]));
  const isHere = (attribute: Attribute) => isShown(schema, model, attribute, values);
  return (
    <div className={styles['fields']} data-level={isLevel || undefined}>
      {model.layout.edit.map((row) => {
        const cells = row.flatMap(({ name, size }) => {
          const attribute = attributes.get(name);
          // forms beside each other stay level where one of them hides a field
          if (!attribute || !(isLevel || isHere(attribute))) return [];
          return [{ attribute, isTitle: isTitle(attribute), size: isTitle(attribute) ? WHOLE : size }];
        });
        return cells.length === 0 ? null : (
          <div key={row.map(({ name }) => name).join()} className={styles['row']}>
            {cells.map(({ attribute, size, isTitle: large }) => (
              <div key={attribute.name} className={styles['cell']} data-size={size}>
                {(!isLevel || isHere(attribute)) && (
                  <FormField
                    attribute={attribute}
                    model={model}
                    around={path}
                    isTitle={large}
                    value={values[attribute.name]}
                    source={attribute.targetField === undefined ? undefined : values[attribute.targetField]}
                    published={published && (published[attribute.name] ?? null)}
                  />
                )}
              </div>
            ))}
          </div>
        );
      })}
    </div>
  );
});
