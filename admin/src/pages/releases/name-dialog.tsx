/** The dialog that names a release: a new one, or one that is renamed. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import type { Release } from '../../../contract/releases.ts';
import { useForm } from '../../app/form.ts';
import { request } from '../../data/client.ts';
import { useText } from '../../language/language.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, FormError } from '../../ui/field.tsx';
import { Input } from '../../ui/input.tsx';
import { refreshReleases } from './data.ts';

/** Characters of a name, as the server accepts them. */
const NAME_LENGTH = 255;

interface Props {
  /** Undefined: a new one, which is opened. */
  readonly release?: Release;
  readonly onClose: () => void;
}

export function NameDialog({ release, onClose }: Props): ReactNode {
  const t = useText();
  const id = useId();
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm({
    initial: { name: release?.name ?? '' },
    check: ({ name }) => ({ name: name.trim() === '' ? t('releases.name.none') : undefined }),
    send: async ({ name }) => {
      if (release) {
        const { scheduledAt, timezone } = release;
        const body = { name, scheduledAt, timezone };
        await request('PUT releases/:id', { params: { id: String(release.id) }, body });
      } else {
        const { data } = await request('POST releases', { body: { name } });
        void navigate({ to: '/releases/$releaseId', params: { releaseId: String(data.id) } });
      }
      onClose();
      await refreshReleases(client);
    },
  });
  const label = t(release ? 'releases.rename' : 'releases.new');
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={label}
      actions={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" form={id} busy={form.busy}>
            {t(release ? 'releases.rename' : 'releases.create')}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={form.onSubmit}>
        <FormError error={form.error} />
        <Field label={t('releases.name')} error={form.errorOf('name')} required>
          <Input {...form.control('name')} autoComplete="off" maxLength={NAME_LENGTH} />
        </Field>
      </form>
    </Dialog>
  );
}
