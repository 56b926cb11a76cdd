/** A role of the site: its texts, its permissions, and deleting it. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { SiteRole } from '../../../contract/permissions.ts';
import { DeleteButton } from '../../app/confirmation.tsx';
import { useForm } from '../../app/form.ts';
import { Missing } from '../../app/not-found.tsx';
import { useTitle } from '../../app/title.ts';
import { PageHead } from '../../app/top-bar.tsx';
import { request } from '../../data/client.ts';
import { permits, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Send } from '../../ui/icons.ts';
import { Input } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { ROLES, roleQuery, rolesQuery } from './data.ts';
import { GrantEditor, type StoredGrants } from './grant-editor.tsx';
import styles from './permissions.module.css';
import { audienceOf } from './words.ts';

export function RolePage(): ReactNode {
  const { roleId } = useParams({ strict: false }) as { roleId: string };
  const { rights } = useSession();
  if (roleId === 'new') return permits(rights, `${ROLES}.create`) ? <NewRole /> : <Missing />;
  return permits(rights, `${ROLES}.read`) ? <Stored key={roleId} id={roleId} /> : <Missing />;
}

function NewRole(): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  useTitle(t('perms.role.new'));
  const form = useForm({
    initial: { name: '', description: '' },
    check: ({ name }) => ({ name: name.trim() === '' ? t('field.name') : undefined }),
    send: async ({ name, description }) => {
      const body = { name: name.trim(), description: description.trim() };
      const { data } = await request('POST permissions/roles', { body });
      void client.invalidateQueries({ queryKey: rolesQuery.queryKey, exact: true });
      client.setQueryData(roleQuery(String(data.id)).queryKey, data);
      show({ text: t('perms.role.made') });
      await navigate({ to: '/permissions/$roleId', params: { roleId: String(data.id) }, replace: true });
    },
  });
  return (
    <>
      <PageHead title={t('perms.role.new')} />
      <form className={styles['page']} onSubmit={form.onSubmit} noValidate>
        <FormError error={form.error} />
        <div className={styles['fields']}>
          <Field label={t('perms.role.name')} error={form.errorOf('name')} required>
            <Input {...form.control('name')} autoComplete="off" />
          </Field>
          <Field label={t('perms.role.description')} note={t('optional')} error={form.errorOf('description')}>
            <Input {...form.control('description')} autoComplete="off" />
          </Field>
          <div>
            <Button type="submit" look="primary" busy={form.busy}>
              {t('perms.role.make')}
            </Button>
          </div>
        </div>
      </form>
    </>
  );
}

const grantsOf = ({ name, description, actions, tag }: SiteRole): StoredGrants => ({
  ...{ name, description: description ?? '', type: undefined, actions, tag },
});

function Stored({ id }: { readonly id: string }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const { rights } = useSession();
  const { data: role, isError } = useQuery(roleQuery(id));
  useTitle(isError ? undefined : (role?.name ?? t('perms.title')));
  if (isError && !role) return <Missing />;
  if (!role) return null;
  const mayUpdate = permits(rights, `${ROLES}.update`);
  const as = `role:${role.id}`;
  const note = [
    t('perms.role.type', { type: role.type }),
    role.type === 'public' ? t('perms.role.everyone') : t('perms.role.accounts', { count: role.accounts }),
  ].join(' · ');
  return (
    <>
      <PageHead title={role.name}>
        {permits(rights, `${ROLES}.delete`) && !role.isNeeded && <Delete role={role} />}
        <ButtonLink icon={Send} to={'/explore' as never} search={{ as } as never}>
          {t('perms.try.role')}
        </ButtonLink>
      </PageHead>
      <div className={styles['page']}>
        {!mayUpdate && <p className={styles['lead']}>{t('perms.role.readOnly')}</p>}
        <GrantEditor
          stored={grantsOf(role)}
          audience={audienceOf(role)}
          rules={role.rules}
          disabled={!mayUpdate}
          as={as}
          note={note}
          onSave={async ({ name, description, actions }, ifMatch) => {
            const body = { name: name.trim(), description: description.trim(), actions };
            const { data } = await request('PUT permissions/roles/:id', { params: { id }, body, ifMatch });
            client.setQueryData(roleQuery(id).queryKey, data);
            void client.invalidateQueries({ queryKey: rolesQuery.queryKey, exact: true });
            return grantsOf(data);
          }}
          storedIn={(current) => {
            client.setQueryData(roleQuery(id).queryKey, current as SiteRole);
            return grantsOf(current as SiteRole);
          }}
        />
      </div>
    </>
  );
}

function Delete({ role: { id, name, accounts } }: { readonly role: SiteRole }): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  const remove = useMutation({
    mutationFn: () => request('DELETE permissions/roles/:id', { params: { id: String(id) } }),
    onSuccess: async () => {
      await navigate({ to: '/permissions', replace: true, ignoreBlocker: true });
      client.removeQueries({ queryKey: roleQuery(String(id)).queryKey });
      void client.invalidateQueries({ queryKey: rolesQuery.queryKey, exact: true });
      show({ text: t('perms.role.deleted') });
    },
    onError: (error) => show({ text: failureText(t, error), tone: 'danger', retry: () => remove.mutate() }),
  });
  return (
    <DeleteButton
      label={t('perms.role.delete')}
      title={t('perms.role.delete.title', { name })}
      text={accounts === 0 ? t('perms.role.delete.none') : t('perms.role.delete.text', { count: accounts })}
      remove={remove}
    />
  );
}
