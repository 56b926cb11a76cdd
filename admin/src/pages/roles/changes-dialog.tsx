/** The changes of a role's permissions, shown before they are saved. */

import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Permittable } from '../../../contract/people.ts';
import { useTypeTitles } from '../../app/type-titles.ts';
import { localeName } from '../../data/locales.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useFieldLabels } from '../../form/field-labels.ts';
import { useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { failureText } from '../../language/refusal-text.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { FormError } from '../../ui/field.tsx';
import { Plus, X } from '../../ui/icons.ts';
import unseen from '../../ui/unseen.module.css';
import { actionName, conditionName, groupName, groupOf } from './permission-texts.ts';
import { type Difference, differencesOf, type Edits, type Permissions, partsOf, verbOf } from './permissions.ts';
import styles from './roles.module.css';

interface Props {
  readonly permittable: Permittable;
  readonly stored: Permissions;
  readonly edits: Edits;
  /** The number of people with the role. */
  readonly people: number;
  readonly onClose: () => void;
  readonly onSave: () => Promise<void>;
}

export function ChangesDialog({ permittable, stored, edits, people, onClose, onSave }: Props): ReactNode {
  const t = useText();
  const { data: schema } = useQuery(schemaQuery);
  const titleOf = useTypeTitles();
  const labelsOf = useFieldLabels();
  const save = useMutation({ mutationFn: onSave });
  /** The type and the operation, or the group and the action. */
  const headingOf = (key: string): string => {
    const { action, subject } = partsOf(key);
    const verb = verbOf(action);
    if (subject === null || verb === undefined) return `${groupName(t, groupOf(action))} · ${actionName(t, action)}`;
    const type = permittable.types.find(({ uid }) => uid === subject);
    return `${type ? titleOf(type) : subject} · ${t(`role.verb.${verb}`)}`;
  };
  const localeOf = (code: string): string => (schema ? localeName(schema, code) : code);
  const fieldOf = (key: string, name: string): string => labelsOf(partsOf(key).subject ?? '', name).join(' › ');
  return (
    <Dialog
      open
      wide
      onOpenChange={onClose}
      title={t('role.changes.title')}
      text={people === 0 ? t('role.changes.unused') : t('role.changes.text', { count: people })}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <Button look="primary" busy={save.isPending} onClick={() => save.mutate()}>
            {t('save')}
          </Button>
        </>
      }
    >
      <FormError error={save.isError ? failureText(t, save.error) : undefined} />
      <ul className={styles['changes']}>
        {[...edits].map(([key, permission]) => (
          <li key={key}>
            <h3>{headingOf(key)}</h3>
            <ul>
              {differencesOf(stored.get(key), permission, namesOf(permittable, key)).map((difference) => (
                <li
                  key={`${difference.about} ${difference.isGrant}`}
                  className={difference.isGrant ? styles['granted'] : styles['revoked']}
                >
                  {difference.isGrant ? <Plus size={14} /> : <X size={14} />}
                  <span>
                    <span className={unseen['unseen']}>{t(difference.isGrant ? 'role.granted' : 'role.revoked')} </span>
                    {differenceText(t, difference, { localeOf, fieldOf: (name) => fieldOf(key, name) })}
                  </span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function namesOf({ types, locales }: Permittable, key: string) {
  const { subject } = partsOf(key);
  return { fields: types.find(({ uid }) => uid === subject)?.fields ?? [], locales };
}

interface Names {
  readonly localeOf: (code: string) => string;
  readonly fieldOf: (name: string) => string;
}

function differenceText(t: Text, { isGrant, about, names }: Difference, { localeOf, fieldOf }: Names): string {
  const fields = names.map(fieldOf).join(', ');
  const locales = names.map(localeOf).join(', ');
  switch (about) {
    case 'all':
      return t(isGrant ? 'role.change.granted' : 'role.change.revoked');
    case 'fields':
      return t('role.change.fields', { names: fields });
    case 'locales':
      return t('role.change.locales', { names: locales });
    case 'onlyFields':
      return t('role.change.onlyFields', { names: fields });
    case 'onlyLocales':
      return t('role.change.onlyLocales', { names: locales });
    case 'laterFields':
      return t('role.laterFields');
    case 'laterLocales':
      return t('role.laterLocales');
    case 'noCondition':
      return t('role.change.everyDocument');
    case 'condition':
      return t('role.change.only', { names: names.map((name) => conditionName(t, name)).join(', ') });
  }
}
