/** What others do with the document that is open: who has it open as well, and what they save. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ContentType } from '../../../contract/contract.ts';
import type { DocumentAnswer, Person } from '../../../contract/documents.ts';
import type { PresenceAnswer } from '../../../contract/presence.ts';
import { request } from '../../data/client.ts';
import { useSession } from '../../data/session.ts';
import { same } from '../../form/values/same.ts';
import { useText } from '../../language/language.tsx';
import { useToasts } from '../../ui/toast.tsx';
import { documentQuery, readDocument, SINGLE } from './document-query.ts';
import type { Draft } from './draft.ts';

/** Milliseconds between two words to the server, which forgets those it has not heard of for some more of them. */
const SAID = 10_000;
const NOBODY: readonly Person[] = [];

/**
 * Says that the document is open, and shows what others save meanwhile, with a notice: what is unsaved here is settled when
 * it is saved. Gives the others who have it open.
 */
export function useOthers(draft: Draft, model: ContentType, answered: DocumentAnswer): readonly Person[] {
  const { documentId, locale } = answered;
  const client = useQueryClient();
  const t = useText();
  const { show } = useToasts();
  const { id: user } = useSession().user;
  const { uid } = model;
  const named = model.kind === 'singleType' ? SINGLE : (documentId ?? '');
  const { data: presence, dataUpdatedAt } = useQuery({
    queryKey: ['presence', uid, named, locale],
    queryFn: async ({ signal }) => {
      const body = locale === null ? {} : { locale };
      const params = { uid, documentId: named };
      return (await request('POST content/:uid/:documentId/presence', { params, body, signal })).data;
    },
    enabled: documentId !== null,
    refetchInterval: SAID,
    // who was here then says nothing about now
    gcTime: 0,
    staleTime: 0,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is looked at, if it says the same as well
  useEffect(() => {
    if (!presence?.savedAt || isAsSaved(draft.get().server, presence)) return;
    const asked = new AbortController();
    const askedAt = performance.now();
    const look = async (): Promise<void> => {
      const answer = await readDocument(uid, named, locale, asked.signal);
      if (asked.signal.aborted || !draft.refresh(answer, askedAt)) return;
      client.setQueryData(documentQuery(uid, named, locale).queryKey, answer);
      const { updatedBy } = answer;
      const text =
        updatedBy?.id === user
          ? t('document.renewed.own')
          : t('document.renewed', { name: updatedBy?.name ?? t('document.somebody') });
      show({ text });
    };
    // without an answer it is asked again when presence has been told the next time
    look().catch(() => {});
    return () => asked.abort();
  }, [presence, dataUpdatedAt]);
  return presence?.others ?? NOBODY;
}

/** Whether the server has of a version what it had when it gave it. */
function isAsSaved({ draft, published, states }: DocumentAnswer, { savedAt, states: now }: PresenceAnswer): boolean {
  const known = [draft?.['updatedAt'] ?? null, published?.['updatedAt'] ?? null];
  return same([savedAt?.draft, savedAt?.published], known) && same(states, now);
}
