/** Schedules an action on one document, or on several. */
import type { QueryClient } from '@tanstack/react-query';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import type { Outcome } from '../../../contract/lists.ts';
import type { ContentType } from '../../../contract/schema.ts';
import { request } from '../../data/client.ts';
import { splitByRequest } from '../../data/deferred.ts';
import { refetchSchedule } from '../../data/schedule.ts';
import type { Choice } from './schedule-dialog.tsx';

const bodyOf = ({ action, at, locale }: Choice) => ({ action, at, ...(locale === undefined ? {} : { locale }) });

export async function scheduleDocument(
  client: QueryClient,
  { uid, kind }: ContentType,
  { documentId }: DocumentAnswer,
  choice: Choice,
): Promise<void> {
  const params = { uid, documentId: kind === 'singleType' ? 'single' : documentId! };
  await request('POST content/:uid/:documentId/schedule', { params, body: bodyOf(choice) });
  await refetchSchedule(client);
}

/** Returns the outcome of each document. */
export async function scheduleSeveral(
  client: QueryClient,
  { uid }: ContentType,
  documentIds: ReadonlySet<string>,
  choice: Choice,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const piece of splitByRequest({ documentIds })) {
    const body = { ...bodyOf(choice), documentIds: [...piece] };
    outcomes.push(...(await request('POST content/:uid/bulk/schedule', { params: { uid }, body })).data);
  }
  await refetchSchedule(client);
  return outcomes;
}
