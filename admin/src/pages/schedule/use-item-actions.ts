/** Cancelling a scheduled action, and trying again what has failed. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ScheduledItem } from '../../../contract/schedule.ts';
import { request } from '../../data/client.ts';
import { refetchSchedule } from '../../data/schedule.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { useToasts } from '../../ui/toast.tsx';

interface ItemActions {
  /** Whether one of them is under way. */
  readonly busy: boolean;
  /** Cancels an item that waits, or dismisses one that has failed. */
  readonly cancel: () => void;
  readonly retry: () => void;
  /** Gives an item that waits another time. The caller shows refusals. */
  readonly move: (at: string) => Promise<void>;
}

/** The milliseconds after which an item that is tried again has usually ended. */
const SOON = 1200;

export function useItemActions({ id, state }: ScheduledItem): ItemActions {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const [busy, setBusy] = useState(false);
  const during = (work: () => Promise<unknown>, done: string): void => {
    setBusy(true);
    void work()
      .then(() => show({ text: done }))
      .catch((error: unknown) => show({ text: failureText(t, error), tone: 'danger' }))
      .finally(() => {
        setBusy(false);
        return refetchSchedule(client);
      });
  };
  const params = { id: String(id) };
  return {
    busy,
    cancel: () =>
      during(
        () => request('DELETE schedule/:id', { params }),
        t(state === 'failed' ? 'schedule.dismissed' : 'schedule.cancelled'),
      ),
    move: async (at) => {
      await request('PUT schedule/:id', { params, body: { at } });
      show({ text: t('schedule.moved') });
      await refetchSchedule(client);
    },
    retry: () =>
      during(async () => {
        await request('POST schedule/:id/retry', { params });
        setTimeout(() => void refetchSchedule(client), SOON);
      }, t('schedule.retried')),
  };
}
