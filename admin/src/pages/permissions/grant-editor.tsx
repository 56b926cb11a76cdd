/**
 * Edits a role or a token: its texts and its permissions. Changes are reviewed before they are saved. If someone else
 * has changed it in the meantime, their changes are shown, and those made here can be added to them.
 */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { AccessRules } from '../../../contract/permissions.ts';
import { Leaving } from '../../app/leaving.tsx';
import shared from '../../app/settings.module.css';
import { RefusedError } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { failureText, refusalText } from '../../language/refusal-text.ts';
import { Skeleton } from '../../ui/bits.tsx';
import { BottomBar } from '../../ui/bottom-bar.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input, Select } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { ChangedActions } from './changed-actions.tsx';
import { subjectsQuery } from './data.ts';
import { Matrix } from './matrix.tsx';
import { Warnings } from './parts.tsx';
import styles from './permissions.module.css';
import type { Audience } from './words.ts';

export const TOKEN_KINDS = ['read-only', 'full-access', 'custom'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** The values that can be edited. */
export interface Grants {
  readonly name: string;
  readonly description: string;
  /** The kind of a token; undefined for a role. */
  readonly type: TokenKind | undefined;
  readonly actions: readonly string[];
}

export interface StoredGrants extends Grants {
  readonly tag: string;
}

interface Props {
  readonly stored: StoredGrants;
  readonly audience: Audience;
  readonly rules: readonly AccessRules[];
  readonly disabled: boolean;
  /** The caller of the API page: `role:1`. */
  readonly as: string;
  /** Below the description. */
  readonly note?: ReactNode;
  /** Saves the values if the stored version still has the tag, and returns the new version. */
  readonly onSave: (values: Grants, tag: string) => Promise<StoredGrants>;
  /** The stored version in the details of a refusal. */
  readonly storedIn: (current: unknown) => StoredGrants;
}

type Errors = Partial<Record<'name' | 'description', string>>;

export function GrantEditor(props: Props): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const { stored, audience, disabled } = props;
  const { data: subjects } = useQuery(subjectsQuery);
  // The version from which the changes started.
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState<Grants>(stored);
  const [isReviewing, setReviewing] = useState(false);
  const [theirs, setTheirs] = useState<StoredGrants>();
  const [errors, setErrors] = useState<Errors>({});
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [granted, before] = [grantedBy(draft), grantedBy(base)];
  const count = countChanges(base, draft);
  const take = (now: StoredGrants, values: Grants = now): void => {
    setBase(now);
    setDraft(values);
    setTheirs(undefined);
    setErrors({});
    setFailure(undefined);
  };
  const [known, setKnown] = useState(stored);
  if (known !== stored) {
    setKnown(stored);
    // Changes of others appear at once while there are none here.
    if (stored.tag !== base.tag && count === 0) take(stored);
  }
  const change = (some: Partial<Grants>): void => setDraft((now) => ({ ...now, ...some }));
  const isEmpty = draft.type === 'custom' && granted.size === 0;
  const review = (): void => {
    setFailure(undefined);
    const name = draft.name.trim() === '' ? { name: t('field.name') } : {};
    setErrors(name);
    if (!('name' in name) && !isEmpty) setReviewing(true);
  };
  const save = async (): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      take(await props.onSave(draft, base.tag));
      setReviewing(false);
      show({ text: t('saved') });
    } catch (error) {
      if (error instanceof RefusedError && error.status === 412) {
        setReviewing(false);
        setTheirs(props.storedIn(error.details['current']));
      } else {
        const wrong = error instanceof RefusedError ? errorsOf(t, error) : {};
        setErrors(wrong);
        if (Object.keys(wrong).length > 0) setReviewing(false);
        else setFailure(failureText(t, error));
      }
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <fieldset disabled={disabled} className={styles['fields']}>
        <Field label={t('perms.role.name')} error={errors.name} required>
          <Input value={draft.name} autoComplete="off" onChange={({ target }) => change({ name: target.value })} />
        </Field>
        <Field label={t('perms.role.description')} note={t('optional')} error={errors.description} hint={props.note}>
          <Input
            value={draft.description}
            autoComplete="off"
            onChange={({ target }) => change({ description: target.value })}
          />
        </Field>
        {draft.type !== undefined && <KindField value={draft.type} onValue={(type) => change({ type })} />}
      </fieldset>
      {(draft.type === undefined || draft.type === 'custom') && (
        <section className={styles['permissions']} aria-label={t('perms.matrix')}>
          <h2 className={shared['heading']}>{t('perms.matrix')}</h2>
          {isEmpty && <p className={styles['warning']}>{t('tokens.permissions.none')}</p>}
          {subjects ? (
            <Matrix
              {...{ subjects, audience, granted, disabled }}
              stored={before}
              rules={props.rules}
              as={props.as}
              onChange={(next) => change({ actions: [...next] })}
            />
          ) : (
            <Skeleton width="60%" />
          )}
        </section>
      )}
      {count > 0 && (
        <BottomBar label={t('perms.changes.label')} text={t('perms.changes', { count })}>
          <Button look="quiet" onClick={() => take(base)}>
            {t('perms.discard')}
          </Button>
          <Button look="primary" onClick={review}>
            {t('perms.review')}
          </Button>
        </BottomBar>
      )}
      {subjects && isReviewing && (
        <Dialog
          open
          wide
          onOpenChange={setReviewing}
          title={t('perms.diff.title', { name: base.name })}
          actions={
            <>
              <CancelButton onClick={() => setReviewing(false)} />
              <Button look="primary" busy={busy} onClick={() => void save()}>
                {t('save')}
              </Button>
            </>
          }
        >
          <FormError error={failure} />
          <Difference {...{ subjects, audience }} before={base} after={draft} />
        </Dialog>
      )}
      {subjects && theirs && (
        <Dialog
          open
          wide
          isHeld
          onOpenChange={() => undefined}
          title={t('perms.theirs.title')}
          text={t('perms.theirs.text')}
          actions={
            <>
              <Button look="danger" onClick={() => take(theirs)}>
                {t('perms.theirs.take')}
              </Button>
              <Button look="primary" onClick={() => take(theirs, combined(base, draft, theirs))}>
                {t('perms.theirs.combine')}
              </Button>
            </>
          }
        >
          <Difference {...{ subjects, audience }} before={base} after={theirs} />
        </Dialog>
      )}
      <Leaving isChanged={count > 0} text={t('perms.leave.text')} />
    </>
  );
}

/** The kind of a token, and its permissions. */
export function KindField({
  value,
  onValue,
}: {
  readonly value: TokenKind;
  readonly onValue: (kind: TokenKind) => void;
}): ReactNode {
  const t = useText();
  const text = t(`tokens.kind.${value}.text`);
  return (
    <Field label={t('tokens.kind')} hint={value === 'full-access' ? <Warnings texts={[text]} /> : text}>
      <Select
        value={value}
        options={TOKEN_KINDS.map((kind) => ({ value: kind, label: t(`tokens.kind.${kind}`) }))}
        onValue={(kind) => onValue(kind as TokenKind)}
      />
    </Field>
  );
}

interface DifferenceProps extends Pick<Parameters<typeof ChangedActions>[0], 'subjects' | 'audience'> {
  readonly before: Grants;
  readonly after: Grants;
}

function Difference({ before, after, ...rest }: DifferenceProps): ReactNode {
  const t = useText();
  const isKindChanged = before.type !== after.type && after.type !== undefined;
  const texts = (['name', 'description'] as const).filter((key) => before[key] !== after[key]);
  return (
    <div className={styles['diff']}>
      {isKindChanged && (
        <>
          <p>{t('perms.diff.became', { field: t('tokens.kind'), after: t(`tokens.kind.${after.type!}`) })}</p>
          {after.type !== 'custom' && <Warnings texts={[t(`tokens.kind.${after.type!}.text`)]} />}
        </>
      )}
      <ChangedActions {...rest} before={grantedBy(before)} after={grantedBy(after)} />
      {texts.length > 0 && (
        <>
          <h3 className={styles['diffTitle']}>{t('perms.diff.other')}</h3>
          <ul>
            {texts.map((key) => (
              <li key={key}>
                {t('perms.diff.became', {
                  field: t(`perms.role.${key}`),
                  after: after[key] === '' ? t('perms.diff.empty') : after[key],
                })}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

const without = (actions: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
  [...actions].filter((action) => !others.has(action));

/** Only roles and custom tokens have permissions of their own. */
const grantedBy = ({ type, actions }: Grants): ReadonlySet<string> =>
  new Set(type === undefined || type === 'custom' ? actions : []);

function countChanges(before: Grants, after: Grants): number {
  const [old, now] = [grantedBy(before), grantedBy(after)];
  const values = (['name', 'description', 'type'] as const).filter((key) => before[key] !== after[key]);
  return without(old, now).length + without(now, old).length + values.length;
}

/** The values of a newer version with the changes that were made to an older one. */
function combined(base: Grants, draft: Grants, theirs: Grants): Grants {
  const [old, mine] = [grantedBy(base), grantedBy(draft)];
  const closed = new Set(without(old, mine));
  const actions = [...new Set([...grantedBy(theirs), ...without(mine, old)])].filter((action) => !closed.has(action));
  const own = <K extends keyof Grants>(key: K): Grants[K] => (draft[key] === base[key] ? theirs[key] : draft[key]);
  return { name: own('name'), description: own('description'), type: own('type'), actions };
}

function errorsOf(t: Text, { fields }: RefusedError): Errors {
  const errors: Errors = {};
  for (const error of fields) {
    const [name] = error.path;
    if (name === 'name' || name === 'description') errors[name] = refusalText(t, error);
  }
  return errors;
}
