/** The dialog that names a release and says when it runs: a new one, or one that is changed. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import type { Release } from '../../../contract/releases.ts';
import { useForm } from '../../app/form.ts';
import { request } from '../../data/client.ts';
import { permits, useSession } from '../../data/session.ts';
import { currentZone } from '../../data/zone.ts';
import { fromLocal, toLocal } from '../../form/values/moments.ts';
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

export function PlanDialog({ release, onClose }: Props): ReactNode {
  const t = useText();
  const id = useId();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { rights } = useSession();
  const planned = toLocal(release?.scheduledAt ?? '');
  const form = useForm({
    initial: { name: release?.name ?? '', scheduledAt: planned },
    check: ({ name }) => ({ name: name.trim() === '' ? t('releases.name.none') : undefined }),
    send: async ({ name, scheduledAt }) => {
      const body = { name, ...timeOf(scheduledAt) };
      if (release) {
        await request('PUT releases/:id', { params: { id: String(release.id) }, body });
      } else {
        const { data } = await request('POST releases', { body });
        void navigate({ to: '/releases/$releaseId', params: { releaseId: String(data.id) } });
      }
      onClose();
      await refreshReleases(client);
    },
  });
  const timeOf = (local: string) => {
    if (local === planned) return { scheduledAt: release?.scheduledAt ?? null, timezone: release?.timezone ?? null };
    if (local === '') return { scheduledAt: null, timezone: null };
    return { scheduledAt: fromLocal(local), timezone: currentZone() };
  };
  const label = t(release ? 'releases.change' : 'releases.new');
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={label}
      actions={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" form={id} busy={form.busy}>
            {t(release ? 'releases.save' : 'releases.create')}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={form.onSubmit}>
        <FormError error={form.error} />
        <Field label={t('releases.name')} error={form.errorOf('name')} required>
          <Input {...form.control('name')} autoComplete="off" maxLength={NAME_LENGTH} />
        </Field>
        {permits(rights, 'plugin::content-releases.publish') && (
          <Field
            label={t('releases.time')}
            hint={t('releases.time.hint', { zone: currentZone() })}
            error={form.errorOf('scheduledAt')}
          >
            <Input {...form.control('scheduledAt')} type="datetime-local" />
          </Field>
        )}
      </form>
    </Dialog>
  );
}
