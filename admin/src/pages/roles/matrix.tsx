/** The permissions of a role on content: types in rows, operations in columns, and below a type its parts. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import type { Permittable } from '../../../contract/people.ts';
import { useTypeTitles } from '../../app/type-titles.ts';
import { localeName } from '../../data/locales.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useFieldLabels } from '../../form/field-labels.ts';
import { useText } from '../../language/language.tsx';
import { classes } from '../../ui/classes.ts';
import { ChevronRight } from '../../ui/icons.ts';
import { BareCheckbox } from '../../ui/toggle.tsx';
import { conditionName } from './permission-texts.ts';
import {
  actionOf,
  coverage,
  EVERYTHING,
  extentOf,
  fieldRows,
  hasFields,
  isApplicable,
  type Permission,
  type PermittableType,
  VERBS,
  type Verb,
  withCondition,
  withLater,
  withNames,
} from './permissions.ts';
import styles from './roles.module.css';

export interface Editing {
  readonly permissionOf: (action: string, subject: string | null) => Permission | undefined;
  readonly onEdit: (action: string, subject: string | null, permission: Permission | null) => void;
  /** Whether the administrator may change the permission. */
  readonly mayEdit: (action: string, subject: string | null) => boolean;
  readonly isChanged: (action: string, subject: string | null) => boolean;
}

interface Props extends Editing {
  readonly permittable: Permittable;
}

export function Matrix({ permittable, ...editing }: Props): ReactNode {
  const t = useText();
  const titleOf = useTypeTitles();
  const named = permittable.types.map((type) => ({ type, name: titleOf(type) }));
  named.sort((one, other) => one.name.localeCompare(other.name));
  return (
    <table className={styles['matrix']}>
      <thead>
        <tr>
          <th scope="col">{t('role.type')}</th>
          {VERBS.map((verb) => (
            <th key={verb} scope="col">
              <span>{t(`role.verb.${verb}`)}</span>
            </th>
          ))}
        </tr>
      </thead>
      {named.map(({ type, name }) => (
        <TypeRows key={type.uid} type={type} name={name} permittable={permittable} {...editing} />
      ))}
    </table>
  );
}

interface TypeProps extends Props {
  readonly type: PermittableType;
  readonly name: string;
}

function TypeRows({ type, name, permittable, ...editing }: TypeProps): ReactNode {
  const t = useText();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const { uid } = type;
  const verbs = VERBS.filter((verb) => isApplicable(type, verb));
  const changed = VERBS.some((verb) => editing.isChanged(actionOf(verb), uid));
  const isUnseen =
    !editing.permissionOf(actionOf('read'), uid) && verbs.some((verb) => editing.permissionOf(actionOf(verb), uid));
  // The default roles of Strapi have no locales.
  const lacksLocales =
    type.localized && verbs.some((verb) => editing.permissionOf(actionOf(verb), uid)?.locales?.length === 0);
  return (
    <tbody className={classes(isOpen && styles['open'])}>
      <tr>
        <th scope="row">
          <button
            type="button"
            className={styles['type']}
            aria-expanded={isOpen}
            {...(isOpen && { 'aria-controls': id })}
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronRight size={14} />
            <span dir="auto">{name}</span>
            {changed && <i className={styles['changed']} role="img" aria-label={t('role.changed')} />}
          </button>
          {isUnseen && <p className={styles['note']}>{t('role.unseen')}</p>}
          {lacksLocales && <p className={styles['note']}>{t('role.noLocale')}</p>}
        </th>
        <Cells
          type={type}
          editing={editing}
          label={name}
          state={(permission) => extentOf(permission)}
          next={(_, isOn) => (isOn ? EVERYTHING : null)}
        />
      </tr>
      {isOpen && <Parts id={id} type={type} name={name} permittable={permittable} {...editing} />}
    </tbody>
  );
}

interface CellsProps {
  readonly type: PermittableType;
  readonly editing: Editing;
  /** What the row is about, for the labels of the checkboxes. */
  readonly label: string;
  /** Operations without a checkbox. */
  readonly leftOut?: (verb: Verb, permission: Permission | undefined) => boolean;
  readonly state: (permission: Permission | undefined) => boolean | 'mixed';
  readonly next: (permission: Permission | undefined, isOn: boolean) => Permission | null;
}

function Cells({ type, editing, label, leftOut, state, next }: CellsProps): ReactNode {
  const t = useText();
  return VERBS.map((verb) => {
    const action = actionOf(verb);
    const permission = editing.permissionOf(action, type.uid);
    if (!isApplicable(type, verb) || leftOut?.(verb, permission)) return <td key={verb} />;
    return (
      <td key={verb}>
        <BareCheckbox
          label={`${t(`role.verb.${verb}`)}: ${label}`}
          checked={state(permission)}
          disabled={!editing.mayEdit(action, type.uid)}
          onValue={(isOn) => editing.onEdit(action, type.uid, next(permission, isOn))}
        />
      </td>
    );
  });
}

/** The fields, locales and conditions of a type. */
function Parts({ id, type, name: typeName, permittable, ...editing }: TypeProps & { readonly id: string }): ReactNode {
  const t = useText();
  const labelsOf = useFieldLabels();
  const { fields, localized } = type;
  /** Conditions narrow permissions. */
  const hasPermissions = VERBS.some((verb) => editing.permissionOf(actionOf(verb), type.uid));
  const noFields = (verb: Verb): boolean => !hasFields(verb);
  const of = (name: string): string => t('role.of', { name, type: typeName });
  return (
    <>
      <tr id={id}>
        <td colSpan={VERBS.length + 1} className={styles['part']}>
          {t('role.fields')}
        </td>
      </tr>
      {fieldRows(fields).map(({ name, depth, names }) => {
        const labels = labelsOf(type.uid, name);
        return (
          <tr key={name}>
            <th scope="row" className={styles['field']} style={{ paddingInlineStart: 20 + depth * 16 }}>
              <span dir="auto">{labels.at(-1)}</span> <code>{name.split('.').at(-1)}</code>
            </th>
            <Cells
              type={type}
              editing={editing}
              label={of(labels.join(' › '))}
              leftOut={noFields}
              state={(permission) => coverage(permission, 'fields', names)}
              next={(permission, isOn) => withNames(permission, { key: 'fields', all: fields, names, isOn })}
            />
          </tr>
        );
      })}
      <tr>
        <th scope="row" className={styles['later']}>
          {t('role.laterFields')}
        </th>
        <Cells
          type={type}
          editing={editing}
          label={of(t('role.laterFields'))}
          leftOut={noFields}
          state={(permission) => permission?.fields === null}
          next={(permission, isOn) => withLater(permission, { key: 'fields', all: fields, isOn })}
        />
      </tr>
      {localized && <Locales type={type} locales={permittable.locales} editing={editing} of={of} />}
      {hasPermissions && (
        <tr>
          <td colSpan={VERBS.length + 1} className={styles['part']}>
            {t('role.documents')}
          </td>
        </tr>
      )}
      {(hasPermissions ? permittable.conditions : []).map((condition) => (
        <tr key={condition}>
          <th scope="row" className={styles['field']}>
            {conditionName(t, condition)}
          </th>
          <Cells
            type={type}
            editing={editing}
            label={of(conditionName(t, condition))}
            leftOut={(_, permission) => !permission}
            state={(permission) => permission?.conditions.includes(condition) === true}
            next={(permission, isOn) => withCondition(permission ?? EVERYTHING, condition, isOn)}
          />
        </tr>
      ))}
    </>
  );
}

interface LocalesProps {
  readonly type: PermittableType;
  readonly locales: readonly string[];
  readonly editing: Editing;
  readonly of: (name: string) => string;
}

function Locales({ type, locales, editing, of }: LocalesProps): ReactNode {
  const t = useText();
  const { data: schema } = useQuery(schemaQuery);
  const nameOf = (code: string): string => (schema ? localeName(schema, code) : code);
  return (
    <>
      <tr>
        <td colSpan={VERBS.length + 1} className={styles['part']}>
          {t('role.locales')}
        </td>
      </tr>
      {locales.map((code) => (
        <tr key={code}>
          <th scope="row" className={styles['field']} dir="auto">
            {nameOf(code)}
          </th>
          <Cells
            type={type}
            editing={editing}
            label={of(nameOf(code))}
            state={(permission) => coverage(permission, 'locales', [code])}
            next={(permission, isOn) => withNames(permission, { key: 'locales', all: locales, names: [code], isOn })}
          />
        </tr>
      ))}
      <tr>
        <th scope="row" className={styles['later']}>
          {t('role.laterLocales')}
        </th>
        <Cells
          type={type}
          editing={editing}
          label={of(t('role.laterLocales'))}
          state={(permission) => permission?.locales === null}
          next={(permission, isOn) => withLater(permission, { key: 'locales', all: locales, isOn })}
        />
      </tr>
    </>
  );
}
