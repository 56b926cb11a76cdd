/** The fields of a model in the rows of its layout. */
import { memo, type ReactNode } from 'react';
import styles from './form.module.css';
import { FormField } from './form-field.tsx';
import { useHost } from './host.ts';
import type { Attribute, Model, Path, Values } from './values/model.ts';
import { isShown } from './values/visibility.ts';

interface Props {
  readonly model: Model;
  /** The path of the values. The same path has to be the same object. */
  readonly path: Path;
  readonly values: Values;
  readonly published: Values | undefined;
  /**
   * Whether each field takes one line of the surrounding grid, from the second line on, so that two forms are aligned.
   */
  readonly isLevel?: boolean | undefined;
}

/** The columns of a row. */
const WHOLE = 12;

/** The number of lines that the fields of a model take if they are aligned. */
export function linesOf({ attributes, layout }: Model): number {
  const names = new Set(attributes.map(({ name }) => name));
  return layout.edit.flat().filter(({ name }) => names.has(name)).length;
}

export const Fields = memo(function Fields({ model, path, values, published, isLevel }: Props): ReactNode {
  // The field that names the document is set in large type, in a row of its own.
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
          // Aligned forms keep the lines of hidden fields.
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
                    parentPath={path}
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
