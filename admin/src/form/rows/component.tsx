/** A component that is not repeatable. */
import type { ReactNode } from 'react';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Plus, X } from '../../ui/icons.ts';
import { Fields } from '../fields.tsx';
import { type ControlProps, useHost } from '../host.ts';
import { componentOf, isValues } from '../values/model.ts';
import { newValues } from '../values/new-values.ts';
import styles from './rows.module.css';
import { RowsControl } from './rows.tsx';

export function ComponentControl(props: ControlProps): ReactNode {
  return props.attribute.repeatable ? <RowsControl {...props} /> : <SingleControl {...props} />;
}

function SingleControl({ attribute, path, value, published, readOnly, onValue }: ControlProps): ReactNode {
  const t = useText();
  const { schema } = useHost();
  const component = componentOf(schema, attribute);
  if (!component) return <p className={styles['none']}>{t('rows.unknown')}</p>;
  if (!isValues(value)) {
    return readOnly ? (
      <p className={styles['none']}>{t('mark.empty')}</p>
    ) : (
      <Button icon={Plus} onClick={() => onValue(newValues(schema, component))}>
        {t('rows.add', { name: component.displayName })}
      </Button>
    );
  }
  return (
    <div className={styles['single']}>
      <Fields model={component} path={path} values={value} published={isValues(published) ? published : undefined} />
      {!readOnly && !attribute.required && (
        <div>
          <Button look="quiet" icon={X} onClick={() => onValue(null)}>
            {t('component.remove')}
          </Button>
        </div>
      )}
    </div>
  );
}
