/** The form of a new role, empty or as a copy of another one. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useForm } from '../../app/form.ts';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { rolesQuery } from './data.ts';

interface Props {
  /** The role whose permissions are copied. */
  readonly from?: { readonly id: number; readonly name: string; readonly description: string };
  readonly onClose: () => void;
}

export function NewRoleDialog({ from, onClose }: Props): ReactNode {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({
    initial: { name: from ? t('role.copy.name', { name: from.name }) : '', description: from?.description ?? '' },
    check: ({ name }) => ({ name: name.trim() === '' ? t('field.name') : undefined }),
    send: async ({ name, description }) => {
      const body = { name: name.trim(), description: description.trim(), ...(from && { from: from.id }) };
      const { data } = await request('POST roles', { body });
      void client.invalidateQueries({ queryKey: rolesQuery.queryKey });
      onClose();
      await navigate({ to: '/roles/$roleId', params: { roleId: String(data.id) } });
    },
  });
  const title = from ? t('role.copy.title', { name: from.name }) : t('roles.new');
  return (
    <Dialog open onOpenChange={onClose} title={title} text={t(from ? 'role.copy.text' : 'roles.new.text')}>
      <form className={shared['form']} onSubmit={form.onSubmit} noValidate>
        <FormError error={form.error} />
        <Field label={t('role.name')} error={form.errorOf('name')} required>
          <Input {...form.control('name')} autoComplete="off" autoFocus />
        </Field>
        <Field label={t('role.description')} note={t('optional')} error={form.errorOf('description')}>
          <Input {...form.control('description')} autoComplete="off" />
        </Field>
        <div className={shared['actions']}>
          <CancelButton onClick={onClose} />
          <Button type="submit" look="primary" busy={form.busy}>
            {t('roles.new.submit')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
