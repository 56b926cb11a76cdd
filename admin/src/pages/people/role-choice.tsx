/** The choice of roles. Roles that the administrator may not give or take are shown as they are. */
import type { ReactNode } from 'react';
import type { AnswerOf } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { Field } from '../../ui/field.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import styles from './people.module.css';

type Role = AnswerOf<'GET people/options'>['data']['roles'][number];

interface Props {
  readonly roles: readonly Role[];
  /** Ids of the roles that the person has. */
  readonly held?: readonly number[];
  readonly chosen: readonly number[];
  readonly error: string | undefined;
  readonly disabled?: boolean;
  readonly onChosen: (ids: readonly number[]) => void;
}

export function RoleChoice({ roles, held = [], chosen, error, disabled = false, onChosen }: Props): ReactNode {
  const t = useText();
  const offered = roles.filter(({ id, isGrantable }) => isGrantable || held.includes(id));
  return (
    <Field label={t('account.roles')} error={error} group required>
      <div className={styles['choices']}>
        {offered.map(({ id, name, description, isGrantable, isSuper }) => (
          <Checkbox
            key={id}
            label={name}
            {...(description !== '' && { hint: description })}
            checked={chosen.includes(id)}
            // A role that the person has can be taken away, except for Super Admin.
            disabled={disabled || (!isGrantable && (isSuper || !held.includes(id)))}
            onValue={(on) => onChosen(on ? [...chosen, id] : chosen.filter((one) => one !== id))}
          />
        ))}
      </div>
    </Field>
  );
}
