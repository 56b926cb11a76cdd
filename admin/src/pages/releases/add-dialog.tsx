/** The dialog that adds documents to a release. */
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import type { Release } from '../../../contract/releases.ts';
import { useForm } from '../../app/form.ts';
import shared from '../../app/settings.module.css';
import { request } from '../../data/client.ts';
import { permits, useSession } from '../../data/session.ts';
import { useLocale, useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input, Select } from '../../ui/input.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { momentText } from '../schedule/when-text.ts';
import { type Item, refreshReleases, releasesQuery } from './data.ts';
import styles from './releases.module.css';
import { ReleaseStatus } from './status.tsx';

interface Props {
  readonly documents: readonly Omit<Item, 'type'>[];
  readonly onClose: () => void;
}

/** The value of a release that is still to be created. */
const NEW = 'new';

export function AddToReleaseDialog({ documents, onClose }: Props): ReactNode {
  const t = useText();
  const { rights } = useSession();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(releasesQuery('pending'));
  const releases = data?.pages.flatMap((page) => page.data);
  if (!releases) return null;
  const more = hasNextPage && (
    <Button look="quiet" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      {t('releases.more')}
    </Button>
  );
  const mayCreate = permits(rights, 'plugin::content-releases.create');
  return <Form documents={documents} releases={releases} more={more} mayCreate={mayCreate} onClose={onClose} />;
}

interface FormProps extends Props {
  readonly releases: readonly Release[];
  /** Loads more of them. */
  readonly more: ReactNode;
  readonly mayCreate: boolean;
}

function Form({ documents, releases, more, mayCreate, onClose }: FormProps): ReactNode {
  const t = useText();
  const id = useId();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  const form = useForm({
    initial: { release: releases[0] ? String(releases[0].id) : mayCreate ? NEW : '', name: '', type: 'publish' },
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
      show({
        text: t('releases.added', { count: data.added }),
        more: {
          label: t('releases.open'),
          run: () => void navigate({ to: '/releases/$releaseId', params: { releaseId: chosen } }),
        },
      });
      await refreshReleases(client);
    },
  });
  const choice = (value: string): Omit<ChoiceProps, 'children'> => ({
    name: id,
    isChosen: form.values.release === value,
    onChoose: () => form.set({ release: value }),
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('releases.add')}
      actions={
        <>
          <CancelButton onClick={onClose} />
          <Button look="primary" type="submit" form={id} busy={form.busy}>
            {t('releases.add.button')}
          </Button>
        </>
      }
    >
      <form id={id} className={shared['form']} noValidate onSubmit={form.onSubmit}>
        <FormError error={form.error} />
        {(releases.length > 0 || !mayCreate) && (
          <Field label={t('releases.release')} error={form.errorOf('release')} required group>
            <div className={styles['choices']}>
              {releases.map((release) => (
                <Choice key={release.id} {...choice(String(release.id))}>
                  <About release={release} />
                </Choice>
              ))}
              {more}
              {mayCreate && <Choice {...choice(NEW)}>{t('releases.new')}</Choice>}
            </div>
          </Field>
        )}
        {form.values.release === NEW && (
          <Field
            label={t(releases.length > 0 ? 'releases.name' : 'releases.new')}
            error={form.errorOf('name')}
            required
          >
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

interface ChoiceProps {
  /** The same for all choices. */
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

function Choice({ name, isChosen, onChoose, children }: ChoiceProps): ReactNode {
  return (
    <label className={styles['choice']}>
      <input type="radio" name={name} checked={isChosen} onChange={onChoose} />
      {children}
    </label>
  );
}

/** The name of a release, its documents, its time and its state. */
function About({ release: { name, actionCount, scheduledAt, status } }: { readonly release: Release }): ReactNode {
  const t = useText();
  const locale = useLocale();
  const documents = t('releases.documents', { count: actionCount });
  return (
    <>
      <span className={shared['main']}>
        <span className={shared['name']} dir="auto">
          {name}
        </span>
        <span className={shared['quiet']}>
          {documents}
          {scheduledAt !== null && ` · ${t('releases.plannedAt', { moment: momentText(t, scheduledAt, locale) })}`}
        </span>
      </span>
      <ReleaseStatus status={status} />
    </>
  );
}
