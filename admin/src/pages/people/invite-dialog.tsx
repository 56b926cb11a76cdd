/** The form with which a person is invited. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Invitation } from '../../../contract/people.ts';
import { emailProblem, useForm } from '../../app/form.ts';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { Checkbox } from '../../ui/toggle.tsx';
import { peopleOptionsQuery } from './data.ts';
import styles from './people.module.css';
import { RoleChoice } from './role-choice.tsx';

interface Props {
  readonly onClose: () => void;
  readonly onInvited: (email: string, invitation: Invitation) => void;
}

/** Role ids as the text that a form holds. */
export const idsIn = (text: string): number[] => text.split(' ').filter(Boolean).map(Number);

export function InviteDialog({ onClose, onInvited }: Props): ReactNode {
  const t = useText();
  const { data: options } = useQuery(peopleOptionsQuery);
  const [isMailed, setMailed] = useState(true);
  const form = useForm({
    initial: { email: '', firstname: '', lastname: '', roles: '' },
    check: ({ email, roles }) => ({
      email: emailProblem(t, email),
      roles: roles === '' ? t('people.roles.none') : undefined,
    }),
    send: async ({ email, firstname, lastname, roles }) => {
      const body = {
        email: email.trim(),
        firstname: firstname.trim() || null,
        lastname: lastname.trim() || null,
        roles: idsIn(roles),
        mail: options?.isMailed === true && isMailed,
      };
      const { data } = await request('POST people', { body });
      onInvited(body.email, data.invitation);
    },
  });
  return (
    <Dialog open onOpenChange={onClose} title={t('people.invite')} text={t('people.invite.text')}>
      <form className={shared['form']} onSubmit={form.onSubmit} noValidate>
        <FormError error={form.error} />
        <Field label={t('account.email')} error={form.errorOf('email')} required>
          <Input {...form.control('email')} type="email" autoComplete="off" spellCheck={false} />
        </Field>
        <div className={styles['pair']}>
          <Field label={t('account.firstname')} note={t('optional')} error={form.errorOf('firstname')}>
            <Input {...form.control('firstname')} autoComplete="off" />
          </Field>
          <Field label={t('account.lastname')} note={t('optional')} error={form.errorOf('lastname')}>
            <Input {...form.control('lastname')} autoComplete="off" />
          </Field>
        </div>
        <RoleChoice
          roles={options?.roles ?? []}
          chosen={idsIn(form.values.roles)}
          error={form.errorOf('roles')}
          onChosen={(ids) => form.set({ roles: ids.join(' ') })}
        />
        {options?.isMailed && (
          <Checkbox label={t('people.invite.mail')} checked={isMailed} onValue={(on) => setMailed(on)} />
        )}
        <div className={shared['actions']}>
          <CancelButton onClick={onClose} />
          <Button type="submit" look="primary" busy={form.busy}>
            {t('people.invite.submit')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
