/** The matrix of types and actions. A row opens to explain each of its permissions. */
import { type CSSProperties, type ReactNode, useId, useState } from 'react';
import type { AccessRules, ActionSubject, SiteAction } from '../../../contract/permissions.ts';
import { useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { ChevronDown, ChevronRight, Send } from '../../ui/icons.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { BareCheckbox, Checkbox } from '../../ui/toggle.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { ActionRequests, useSubjectName, Warnings } from './parts.tsx';
import styles from './permissions.module.css';
import {
  type Audience,
  actionText,
  COLUMNS,
  type Column,
  columnOf,
  columnText,
  GONE,
  goneSubject,
  isColumn,
  isType,
  requestTexts,
  riskTexts,
} from './words.ts';

interface Props {
  readonly subjects: readonly ActionSubject[];
  readonly audience: Audience;
  readonly granted: ReadonlySet<string>;
  /** The saved permissions. */
  readonly stored: ReadonlySet<string>;
  readonly rules: readonly AccessRules[];
  readonly disabled: boolean;
  /** The caller of the API page, if the role or token exists: `role:1`. */
  readonly as: string | undefined;
  readonly onChange: (granted: ReadonlySet<string>) => void;
}

/** From this number of types on, they can be filtered. */
const MANY = 8;

export function Matrix({ subjects, ...props }: Props): ReactNode {
  const t = useText();
  const nameOf = useSubjectName();
  const [text, setText] = useState('');
  const missing = goneSubject(subjects, [...props.granted, ...props.stored]);
  const types = subjects.filter(isType);
  const columns = COLUMNS.filter((column) =>
    types.some((type) => type.actions.some((action) => columnOf(type, action) === column)),
  );
  const wanted = text.trim().toLowerCase();
  const isShown = (subject: ActionSubject): boolean =>
    wanted === '' || `${nameOf(subject)} ${subject.uid}`.toLowerCase().includes(wanted);
  const isCode = ({ kind }: ActionSubject): boolean => kind === 'code';
  const groups = [
    { title: t('perms.group.content'), members: types.filter(isShown), columns },
    { title: t('perms.group.server'), members: subjects.filter((one) => !isType(one) && !isCode(one) && isShown(one)) },
    {
      title: t('perms.group.code'),
      members: [...subjects.filter(isCode), ...(missing ? [missing] : [])].filter(isShown),
    },
  ].filter(({ members }) => members.length > 0);
  return (
    <div className={styles['matrix']} style={{ '--columns': columns.length } as CSSProperties}>
      {types.length >= MANY && (
        <SearchField label={t('perms.filter')} value={text} onValue={setText} clearLabel={t('perms.filter.clear')} />
      )}
      {groups.length === 0 && <p className={styles['quiet']}>{t('perms.filter.nothing')}</p>}
      {groups.map(({ title, members, columns: shown = [] }) => (
        <section key={title} aria-label={title}>
          <div className={styles['head']}>
            <h3 className={styles['group']}>{title}</h3>
            {shown.map((column) => (
              <span key={column} className={styles['column']} aria-hidden="true">
                {columnText(t, column)}
              </span>
            ))}
          </div>
          <ul>
            {members.map((subject) => (
              <Row key={subject.uid} subject={subject} columns={shown} name={nameOf(subject)} {...props} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface RowProps extends Omit<Props, 'subjects'> {
  readonly subject: ActionSubject;
  readonly columns: readonly Column[];
  readonly name: string;
}

function Row({ subject, columns, name, ...props }: RowProps): ReactNode {
  const t = useText();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const { granted, stored, audience, disabled } = props;
  const { uid, actions } = subject;
  const isChanged = actions.some(({ action }) => granted.has(action) !== stored.has(action));
  const count = actions.filter(({ action }) => granted.has(action)).length;
  const rules = props.rules.find((one) => one.uid === uid);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <li className={classes(styles['subject'], isChanged && styles['changed'])}>
      <div className={styles['line']}>
        <button
          type="button"
          className={styles['opener']}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          <Chevron size={15} />
          <span>
            <span dir="auto" className={styles['name']}>
              {name}
            </span>{' '}
            <span className={styles['quiet']}>
              {t('perms.count', { count, all: actions.length })}
              {rules && ` · ${t('perms.narrowed')}`}
            </span>
          </span>
        </button>
        {!isOpen &&
          columns.map((column) => {
            const one = actions.find((action) => columnOf(subject, action) === column);
            return (
              <span key={column} className={styles['cell']}>
                {one && (
                  <Cell
                    text={[actionText(t, audience, subject, one, name), ...requestTexts(one), stateText(t, one)]
                      .filter((part) => part !== undefined)
                      .join(' · ')}
                    checked={granted.has(one.action)}
                    isChanged={granted.has(one.action) !== stored.has(one.action)}
                    disabled={disabled}
                    onValue={(value) => props.onChange(withAction(granted, one.action, value))}
                  />
                )}
              </span>
            );
          })}
      </div>
      {isOpen && (
        <div id={id} className={styles['explained']}>
          {!disabled && uid !== GONE && actions.length > 1 && (
            <div className={styles['tools']}>
              <Button look="quiet" onClick={() => props.onChange(new Set([...granted, ...namesOf(actions)]))}>
                {t('perms.all')}
              </Button>
              <Button
                look="quiet"
                onClick={() => {
                  const own = new Set(namesOf(actions));
                  props.onChange(new Set([...granted].filter((action) => !own.has(action))));
                }}
              >
                {t('perms.none')}
              </Button>
            </div>
          )}
          {actions.map((action) => (
            <Explained key={action.action} subject={subject} action={action} name={name} {...props} />
          ))}
          <Rules rules={rules} />
          {props.as !== undefined && isType(subject) && (
            <div>
              <ButtonLink look="quiet" icon={Send} to={'/explore' as never} search={{ as: props.as, uid } as never}>
                {t(audience.kind === 'token' ? 'perms.try.token' : 'perms.try.role')}
              </ButtonLink>
            </div>
          )}
        </div>
      )}
    </li>
  );
}

const namesOf = (actions: readonly SiteAction[]): readonly string[] => actions.map(({ action }) => action);

function withAction(granted: ReadonlySet<string>, action: string, value: boolean): ReadonlySet<string> {
  const next = new Set(granted);
  if (value) next.add(action);
  else next.delete(action);
  return next;
}

interface CellProps {
  readonly text: string;
  readonly checked: boolean;
  readonly isChanged: boolean;
  readonly disabled: boolean;
  readonly onValue: (value: boolean) => void;
}

/** A checkbox of the matrix. Its tooltip explains it, and so does the open row. */
function Cell({ text, checked, isChanged, disabled, onValue }: CellProps): ReactNode {
  return (
    <Tooltip text={text}>
      <span className={classes(styles['box'], isChanged && styles['differs'])}>
        <BareCheckbox label={text} checked={checked} disabled={disabled} onValue={onValue} />
      </span>
    </Tooltip>
  );
}

interface ExplainedProps extends Omit<RowProps, 'columns'> {
  readonly action: SiteAction;
}

function Explained({
  subject,
  action,
  name,
  audience,
  granted,
  stored,
  disabled,
  onChange,
}: ExplainedProps): ReactNode {
  const t = useText();
  const isGranted = granted.has(action.action);
  const state = stateText(t, action);
  return (
    <Checkbox
      label={
        <>
          {actionText(t, audience, subject, action, name)}
          {isGranted !== stored.has(action.action) && (
            <span className={styles['will']}> · {t(isGranted ? 'perms.opens' : 'perms.closes')}</span>
          )}
        </>
      }
      hint={
        <>
          <ActionRequests action={action} />
          {state !== undefined && <span className={styles['state']}>{state}</span>}
          {isGranted && <Warnings texts={riskTexts(t, audience, action)} />}
        </>
      }
      checked={isGranted}
      disabled={disabled}
      onValue={(value) => onChange(withAction(granted, action.action, value))}
    />
  );
}

function stateText(t: Text, { state, requests }: SiteAction): string | undefined {
  if (requests.some(({ isOpen }) => isOpen)) return t('perms.state.free');
  return state === 'open' ? undefined : t(`perms.state.${state}`);
}

/** The rules of access that narrow the permissions of a type. */
function Rules({ rules }: { readonly rules: AccessRules | undefined }): ReactNode {
  const t = useText();
  if (!rules) return null;
  const { rows, read, write } = rules;
  const named = (names: readonly string[]): string => (names.length ? names.join(', ') : t('perms.rule.noNames'));
  const labelOf = (action: string): string =>
    action === 'find' ? t('perms.rule.find') : isColumn(action) ? columnText(t, action) : action;
  return (
    <div className={styles['rules']}>
      <h4>{t('perms.rules')}</h4>
      <ul>
        {rows.map(({ action, filter }) => (
          <li key={action}>
            {filter === null ? (
              t('perms.rule.noRow', { action: labelOf(action) })
            ) : (
              <>
                {t('perms.rule.rows', { action: labelOf(action) })} <code>{filter}</code>
              </>
            )}
          </li>
        ))}
        {read && <li>{t('perms.rule.read', { names: named(read) })}</li>}
        {write && <li>{t('perms.rule.write', { names: named(write) })}</li>}
      </ul>
    </div>
  );
}
