/** The dialog that adds documents to a release. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { useForm } from '../../app/form.ts';
import { request } from '../../data/client.ts';
import { permits, useSession } from '../../data/session.ts';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input, Select } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { type Item, refreshReleases, releasesQuery } from './data.ts';
import styles from './releases.module.css';

interface Props {
  readonly documents: readonly Omit<Item, 'type'>[];
  readonly onClose: () => void;
}

/** The value of a release that is still to be created. */
const NEW = 'new';

export function AddToReleaseDialog({ documents, onClose }: Props): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const { data } = useInfiniteQuery(releasesQuery('pending'));
  const releases = data?.pages.flatMap((page) => page.data);
  const mayCreate = permits(rights, 'plugin::content-releases.create');
  if (!releases) return null;
  const options = [
    ...releases.map(({ id, name }) => ({ value: String(id), label: name })),
    ...(mayCreate ? [{ value: NEW, label: t('releases.new') }] : []),
  ];
  return <Form documents={documents} options={options} onClose={onClose} />;
}

interface FormProps extends Props {
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

function Form({ documents, options, onClose }: FormProps): ReactNode {
  const t = useText();
  const id = useId();
  const client = useQueryClient();
  const { show } = useToasts();
  const form = useForm({
    initial: { release: options[0]?.value ?? '', name: '', type: 'publish' },
    check: ({ release, name }) => ({
      release: release === '' ? t('releases.empty') : undefined,
      name: release === NEW && name.trim() === '' ? t('releases.name.none') : undefined,
    }),
    send: async ({ release, name, type }) => {
      const chosen = release === NEW ? String((await request('POST releases', { body: { name } })).data.id) : release;
      const kind = type === 'unpublish' ? 'unpublish' : 'publish';
      const actions = documents.map((document) => ({ ...document, type: kind }) as const);
      const { data } = await request('POST releases/:id/actions', { params: { id: chosen }, body: { actions } });
      onClose();
      show({ text: t('releases.added', { count: data.added }) });
      await refreshReleases(client);
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('releases.add')}
      actions={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" form={id} busy={form.busy}>
            {t('releases.add.button')}
          </Button>
        </>
      }
    >
      <form id={id} className={styles['form']} noValidate onSubmit={form.onSubmit}>
        <FormError error={form.error} />
        <Field label={t('releases.release')} error={form.errorOf('release')} required>
          <Select value={form.values.release} onValue={(release) => form.set({ release })} options={options} />
        </Field>
        {form.values.release === NEW && (
          <Field label={t('releases.name')} error={form.errorOf('name')} required>
            <Input {...form.control('name')} autoComplete="off" />
          </Field>
        )}
        <Field label={t('releases.add.type')}>
          <Select
            value={form.values.type}
            onValue={(type) => form.set({ type })}
            options={(['publish', 'unpublish'] as const).map((value) => ({
              value,
              label: t(`releases.item.${value}`),
            }))}
          />
        </Field>
      </form>
    </Dialog>
  );
}
