/** A role: its name, whether it requires a second factor, and its permissions. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Permittable, Role } from '../../../contract/people.ts';
import { DeleteButton } from '../../app/confirmation.tsx';
import { useForm } from '../../app/form.ts';
import { Leaving } from '../../app/leaving.tsx';
import { Missing } from '../../app/not-found.tsx';
import { SaveButton } from '../../app/save-button.tsx';
import shared from '../../app/settings.module.css';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { request } from '../../data/client.ts';
import { isSuper, permits, presenceQuery, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Skeleton } from '../../ui/bits.tsx';
import { BottomBar } from '../../ui/bottom-bar.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Copy } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { Switch } from '../../ui/toggle.tsx';
import { Section } from '../account/section.tsx';
import { ChangesDialog } from './changes-dialog.tsx';
import { permittableQuery, roleQuery, rolesQuery } from './data.ts';
import { type Editing, Matrix } from './matrix.tsx';
import { NewRoleDialog } from './new-role-dialog.tsx';
import { type Edits, keyOf, partsOf, permissionsOf, withEdit } from './permissions.ts';
import styles from './roles.module.css';
import { SettingsPermissions } from './settings-permissions.tsx';

export function RolePage(): ReactNode {
  const { roleId } = useParams({ strict: false }) as { roleId: string };
  const { rights } = useSession();
  return permits(rights, 'admin::roles.read') ? <Stored key={roleId} id={roleId} /> : <Missing />;
}

function Stored({ id }: { readonly id: string }): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const { data: role, isError } = useQuery(roleQuery(id));
  const { data: permittable } = useQuery(permittableQuery);
  const [isCopying, setCopying] = useState(false);
  useTitle(isError ? undefined : (role?.name ?? t('roles.title')));
  if (isError && !role) return <Missing />;
  if (!role) return null;
  const mayUpdate = role.isChangeable && permits(rights, 'admin::roles.update');
  const mayDelete = role.isChangeable && !role.isSuper && role.people === 0 && permits(rights, 'admin::roles.delete');
  return (
    <>
      <PageHead title={role.name}>
        {!role.isSuper && permits(rights, 'admin::roles.create') && (
          <Button icon={Copy} onClick={() => setCopying(true)}>
            {t('role.copy')}
          </Button>
        )}
        {mayDelete && <Delete role={role} />}
      </PageHead>
      <div className={styles['sections']}>
        <Section title={t('role.about')}>
          <Details role={role} disabled={!mayUpdate} />
        </Section>
        <Section title={t('account.factor')}>
          <SecondFactor role={role} disabled={!mayUpdate} />
        </Section>
        {role.isSuper && (
          <Section title={t('perms.matrix')}>
            <p>{t('role.super')}</p>
          </Section>
        )}
      </div>
      {role.isSuper ? null : permittable ? (
        <Permissions role={role} permittable={permittable} mayUpdate={mayUpdate} />
      ) : (
        <div className={styles['permissions']}>
          <Skeleton height="160px" />
        </div>
      )}
      {isCopying && <NewRoleDialog from={role} onClose={() => setCopying(false)} />}
    </>
  );
}

/** Saves a part of a role and shows the answer. */
function useSaving(role: Role) {
  const client = useQueryClient();
  const session = useSession();
  return async (body: Parameters<typeof request<'PUT roles/:id'>>[1]['body']): Promise<void> => {
    const { data } = await request('PUT roles/:id', { params: { id: String(role.id) }, body });
    client.setQueryData(roleQuery(String(role.id)).queryKey, data);
    void client.invalidateQueries({ queryKey: rolesQuery.queryKey, exact: true });
    // The rights of this administrator may have changed.
    if (session.roles.some(({ id }) => id === role.id)) void client.invalidateQueries(presenceQuery);
  };
}

function Details({ role, disabled }: { readonly role: Role; readonly disabled: boolean }): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const save = useSaving(role);
  const form = useForm({
    initial: { name: role.name, description: role.description },
    check: ({ name }) => ({ name: name.trim() === '' ? t('field.name') : undefined }),
    send: async ({ name, description }) => {
      await save({ name: name.trim(), description: description.trim() });
      show({ text: t('saved') });
    },
  });
  const { name, description } = form.values;
  const differs = name.trim() !== role.name || description.trim() !== role.description;
  return (
    <form className={shared['form']} onSubmit={form.onSubmit} noValidate>
      <FormError error={form.error} />
      <fieldset disabled={disabled} className={shared['form']}>
        <Field label={t('role.name')} error={form.errorOf('name')} required>
          <Input {...form.control('name')} autoComplete="off" />
        </Field>
        <Field label={t('role.description')} note={t('optional')} error={form.errorOf('description')}>
          <Input {...form.control('description')} autoComplete="off" />
        </Field>
        <p className={styles['quiet']}>{t('role.holders', { count: role.people })}</p>
        {!disabled && <SaveButton differs={differs} busy={form.busy} />}
      </fieldset>
    </form>
  );
}

function SecondFactor({ role, disabled }: { readonly role: Role; readonly disabled: boolean }): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const session = useSession();
  const { user, roles } = session;
  const save = useSaving(role);
  const [isAsking, setAsking] = useState(false);
  const change = useMutation({
    mutationFn: (secondFactor: boolean) => save({ secondFactor }),
    onSuccess: () => show({ text: t('saved') }),
    onSettled: () => setAsking(false),
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
  });
  const isOwn = roles.some(({ id }) => id === role.id) && !user.secondFactor;
  const isKept = role.secondFactor && !isSuper(session);
  return (
    <>
      <Switch
        label={t('role.factor')}
        hint={[t('role.factor.hint'), ...(isKept ? [t('role.factor.kept')] : [])].join(' ')}
        checked={role.secondFactor}
        disabled={disabled || isKept || change.isPending}
        onValue={(on) => (on ? setAsking(true) : change.mutate(false))}
      />
      {isAsking && (
        <Dialog
          open
          onOpenChange={() => setAsking(false)}
          title={t('role.factor.title')}
          text={[t('role.factor.text'), ...(isOwn ? [t('role.factor.you')] : [])].join(' ')}
          actions={
            <>
              <CancelButton onClick={() => setAsking(false)} />
              <Button look="primary" busy={change.isPending} onClick={() => change.mutate(true)}>
                {t('role.factor.confirm')}
              </Button>
            </>
          }
        />
      )}
    </>
  );
}

interface PermissionsProps {
  readonly role: Role;
  readonly permittable: Permittable;
  readonly mayUpdate: boolean;
}

function Permissions({ role, permittable, mayUpdate }: PermissionsProps): ReactNode {
  const t = useText();
  const session = useSession();
  const { show } = useToasts();
  const save = useSaving(role);
  const [edits, setEdits] = useState<Edits>(new Map());
  const [isReviewing, setReviewing] = useState(false);
  const stored = permissionsOf(role);
  const permissionOf: Editing['permissionOf'] = (action, subject) => {
    const key = keyOf(action, subject);
    return edits.has(key) ? (edits.get(key) ?? undefined) : stored.get(key);
  };
  const editing: Editing = {
    permissionOf,
    onEdit: (action, subject, permission) =>
      setEdits((now) => withEdit(now, stored, keyOf(action, subject), permission)),
    // What an administrator may not do, it can only take away.
    mayEdit: (action, subject) =>
      mayUpdate &&
      (isSuper(session) ||
        permissionOf(action, subject) !== undefined ||
        stored.has(keyOf(action, subject)) ||
        permits(session.rights, action, subject)),
    isChanged: (action, subject) => edits.has(keyOf(action, subject)),
  };
  const send = async (): Promise<void> => {
    const permissions = [...edits].map(([key, permission]) => ({ ...partsOf(key), permission }));
    await save({ permissions });
    setEdits(new Map());
    setReviewing(false);
    show({ text: t('saved') });
  };
  return (
    <div className={styles['permissions']}>
      <section aria-label={t('role.content')}>
        <h2 className={styles['heading']}>{t('role.content')}</h2>
        <Matrix permittable={permittable} {...editing} />
      </section>
      <section aria-label={t('role.settings')}>
        <h2 className={styles['heading']}>{t('role.settings')}</h2>
        <SettingsPermissions permittable={permittable} {...editing} />
        {role.others > 0 && <p className={styles['quiet']}>{t('role.others', { count: role.others })}</p>}
      </section>
      {edits.size > 0 && (
        <BottomBar label={t('role.changes.title')} text={t('role.changes', { count: edits.size })}>
          <Button look="quiet" onClick={() => setEdits(new Map())}>
            {t('role.changes.discard')}
          </Button>
          <Button look="primary" onClick={() => setReviewing(true)}>
            {t('role.changes.review')}
          </Button>
        </BottomBar>
      )}
      <Leaving isChanged={edits.size > 0} text={t('role.leave.text')} />
      {isReviewing && (
        <ChangesDialog
          permittable={permittable}
          stored={stored}
          edits={edits}
          people={role.people}
          onClose={() => setReviewing(false)}
          onSave={send}
        />
      )}
    </div>
  );
}

function Delete({ role: { id, name } }: { readonly role: Role }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  const remove = useMutation({
    mutationFn: () => request('DELETE roles/:id', { params: { id: String(id) } }),
    onSuccess: async () => {
      await navigate({ to: '/roles', replace: true, ignoreBlocker: true });
      client.removeQueries({ queryKey: roleQuery(String(id)).queryKey });
      void client.invalidateQueries({ queryKey: rolesQuery.queryKey, exact: true });
      show({ text: t('role.deleted') });
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger' }),
  });
  return (
    <DeleteButton
      label={t('role.delete')}
      title={t('role.delete.title', { name })}
      text={t('role.delete.text')}
      remove={remove}
    />
  );
}
