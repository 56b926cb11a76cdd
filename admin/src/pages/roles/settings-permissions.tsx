/** The permissions of a role on files, plugins and settings. */
import type { ReactNode } from 'react';
import type { Permittable } from '../../../contract/people.ts';
import { useText } from '../../language/language.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import type { Editing } from './matrix.tsx';
import { actionName, conditionName, groupName, groupOf } from './permission-texts.ts';
import { EVERYTHING, withCondition } from './permissions.ts';
import styles from './roles.module.css';

interface Props extends Editing {
  readonly permittable: Permittable;
}

export function SettingsPermissions({ permittable: { settings, conditions }, ...editing }: Props): ReactNode {
  const t = useText();
  const groups = Map.groupBy(settings, ({ action }) => groupOf(action));
  return (
    <div className={styles['groups']}>
      {[...groups].map(([group, all]) => (
        <fieldset key={group} className={styles['group']}>
          <legend>{groupName(t, group)}</legend>
          {all.map(({ action, takesConditions }) => (
            <Setting key={action} action={action} conditions={takesConditions ? conditions : []} {...editing} />
          ))}
        </fieldset>
      ))}
    </div>
  );
}

interface SettingProps extends Editing {
  readonly action: string;
  readonly conditions: readonly string[];
}

function Setting({ action, conditions, permissionOf, onEdit, mayEdit, isChanged }: SettingProps): ReactNode {
  const t = useText();
  const permission = permissionOf(action, null);
  const name = actionName(t, action);
  const disabled = !mayEdit(action, null);
  return (
    <>
      <Checkbox
        label={
          <>
            {name}
            {isChanged(action, null) && <i className={styles['changed']} role="img" aria-label={t('role.changed')} />}
          </>
        }
        checked={permission !== undefined}
        disabled={disabled}
        onValue={(isOn) => onEdit(action, null, isOn ? EVERYTHING : null)}
      />
      {permission && conditions.length > 0 && (
        <div className={styles['conditions']}>
          {conditions.map((condition) => (
            <Checkbox
              key={condition}
              label={conditionName(t, condition)}
              aria-label={`${name}: ${conditionName(t, condition)}`}
              checked={permission.conditions.includes(condition)}
              disabled={disabled}
              onValue={(isOn) => onEdit(action, null, withCondition(permission, condition, isOn))}
            />
          ))}
        </div>
      )}
    </>
  );
}
