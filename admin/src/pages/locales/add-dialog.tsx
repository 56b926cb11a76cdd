/** The dialog for adding a locale. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { useForm } from '../../app/form.ts';
import { request } from '../../data/client.ts';
import { useLanguage, useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { nameOfCode, refreshLocales } from './data.ts';
import styles from './locales.module.css';

/** Characters of a name, as the server accepts them. */
const NAME_LENGTH = 50;

export function AddDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  const t = useText();
  const id = useId();
  const language = useLanguage();
  const client = useQueryClient();
  const { show } = useToasts();
  const form = useForm({
    initial: { code: '', name: '' },
    check: ({ code }) => ({ code: code.trim() === '' ? t('locales.code.none') : undefined }),
    send: async (values) => {
      const name = values.name.trim();
      const body = { code: values.code.trim(), ...(name === '' ? {} : { name }) };
      const { data } = await request('POST locales', { body });
      await refreshLocales(client);
      onClose();
      show({ text: t('locales.added', { name: data.name }) });
    },
  });
  const meant = nameOfCode(form.values.code, language);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('locales.add')}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <Button look="primary" type="submit" form={id} busy={form.busy}>
            {t('locales.add')}
          </Button>
        </>
      }
    >
      <form id={id} className={styles['form']} noValidate onSubmit={form.onSubmit}>
        <FormError error={form.error} />
        <Field
          label={t('locales.code')}
          hint={meant === undefined ? t('locales.code.hint') : t('locales.code.meant', { name: meant })}
          error={form.errorOf('code')}
          required
        >
          <Input {...form.control('code')} autoComplete="off" autoCapitalize="off" spellCheck={false} />
        </Field>
        <Field
          label={t('locales.name')}
          note={t('optional')}
          hint={t('locales.name.hint')}
          error={form.errorOf('name')}
        >
          <Input {...form.control('name')} autoComplete="off" maxLength={NAME_LENGTH} />
        </Field>
      </form>
    </Dialog>
  );
}
