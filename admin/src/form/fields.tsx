/** The fields of a model in the rows of its arrangement. */
import { memo, type ReactNode } from 'react';
import styles from './form.module.css';
import { FormField } from './form-field.tsx';
import type { Model, Path, Values } from './values/model.ts';

interface Props {
  readonly model: Model;
  /** Where the values stand; the same object for as long as it is the same place. */
  readonly path: Path;
  readonly values: Values;
  readonly published: Values | undefined;
}

export const Fields = memo(function Fields({ model, path, values, published }: Props): ReactNode {
  const attributes = new Map(model.attributes.map((attribute) => [attribute.name, attribute]));
  return (
    <div className={styles['fields']}>
      {model.layout.edit.map((row) => {
        const cells = row.flatMap(({ name, size }) => {
          const attribute = attributes.get(name);
          return attribute ? [{ attribute, size }] : [];
        });
        return cells.length === 0 ? null : (
          <div key={row.map(({ name }) => name).join()} className={styles['row']}>
            {cells.map(({ attribute, size }) => (
              <div key={attribute.name} className={styles['cell']} data-size={size}>
                <FormField
                  attribute={attribute}
                  model={model}
                  around={path}
                  value={values[attribute.name]}
                  published={published && (published[attribute.name] ?? null)}
                />
              </div>
            ))}
          </div>
        );
      })}
    </div>
  );
});
