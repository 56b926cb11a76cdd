/** The dialog for renaming a locale. Its code does not change. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import type { Locale } from '../../../contract/site.ts';
import { useForm } from '../../app/form.ts';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { refreshLocales } from './data.ts';

/** Characters of a name, as the server accepts them. */
const NAME_LENGTH = 50;

interface Props {
  readonly locale: Locale;
  readonly onClose: () => void;
}

export function RenameDialog({ locale, onClose }: Props): ReactNode {
  const t = useText();
  const id = useId();
  const client = useQueryClient();
  const { show } = useToasts();
  const form = useForm({
    initial: { name: locale.name },
    check: ({ name }) => ({ name: name.trim() === '' ? t('field.name') : undefined }),
    send: async ({ name }) => {
      await request('PUT locales/:id', { params: { id: String(locale.id) }, body: { name: name.trim() } });
      await refreshLocales(client);
      onClose();
      show({ text: t('saved') });
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('locales.rename.title', { name: locale.name })}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <Button look="primary" type="submit" form={id} busy={form.busy}>
            {t('save')}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={form.onSubmit}>
        <Field label={t('locales.name')} error={form.errorOf('name') ?? form.error} required>
          <Input {...form.control('name')} autoComplete="off" maxLength={NAME_LENGTH} />
        </Field>
      </form>
    </Dialog>
  );
}
