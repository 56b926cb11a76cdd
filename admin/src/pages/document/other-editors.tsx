/** The other editors of a document, and the changes that they save. */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import type { ContentType } from '../../../contract/contract.ts';
import type { DocumentAnswer, Person } from '../../../contract/documents.ts';
import type { PresenceAnswer } from '../../../contract/presence.ts';
import { request } from '../../data/client.ts';
import { useSession } from '../../data/session.ts';
import { same } from '../../form/values/same.ts';
import { useLanguage, useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { Avatar } from '../../ui/bits.tsx';
import { useToasts } from '../../ui/toast.tsx';
import styles from './document.module.css';
import { documentQuery, readDocument, SINGLE } from './document-query.ts';
import type { Draft } from './draft.ts';

/** The number of avatars. */
const SHOWN = 3;

export function Others({ others }: { readonly others: readonly Person[] }): ReactNode {
  const t = useText();
  const language = useLanguage();
  const names = new Intl.ListFormat(language, { type: 'conjunction' }).format(others.map(({ name }) => name));
  const text = t(others.length === 1 ? 'document.others.one' : 'document.others.several', { names });
  return (
    // Always rendered, so that screen readers announce changes.
    <span role="status" className={styles['others']} title={others.length > 0 ? text : undefined}>
      {others.slice(0, SHOWN).map(({ id, name }) => (
        <Avatar key={id} name={name} />
      ))}
      {others.length > 0 && <span className={styles['othersNames']}>{text}</span>}
    </span>
  );
}

/** The milliseconds between reports of presence. The server keeps each for several intervals. */
const SAID = 10_000;
/**
 * The number of reports after which an unchanged version is read again: linked documents may have new names, and other
 * documents new links to it.
 */
const UNTOLD = 6;
const NOBODY: readonly Person[] = [];

/**
 * Reports that the document is open, and shows versions that others save, with a notice. Unsaved changes are compared
 * when they are saved. Returns the other editors.
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
    // Presence is never taken from the cache.
    gcTime: 0,
    staleTime: 0,
  });
  /** The running request, which continues during further reports; and the number of reports since the last request. */
  const reading = useRef<AbortController>(undefined);
  const reportedAt = useRef(0);
  useEffect(() => () => reading.current?.abort(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is looked at, if it says the same as well
  useEffect(() => {
    if (!presence) return;
    reportedAt.current += 1;
    if (reading.current && !reading.current.signal.aborted) return;
    if (isAsSaved(draft.get().server, presence) && reportedAt.current < UNTOLD) return;
    reportedAt.current = 0;
    const controller = new AbortController();
    reading.current = controller;
    const askedAt = performance.now();
    const look = async (): Promise<void> => {
      const answer = await readDocument(uid, named, locale, controller.signal);
      const known = draft.get().server;
      if (controller.signal.aborted || !draft.refresh(answer, askedAt)) return;
      client.setQueryData(documentQuery(uid, named, locale).queryKey, answer);
      show({ text: newsText(t, known, answer, user) });
    };
    look()
      // Without an answer, the next report repeats the request.
      .catch(() => {
        reportedAt.current = UNTOLD;
      })
      .finally(() => {
        if (reading.current === controller) reading.current = undefined;
      });
  }, [presence, dataUpdatedAt]);
  return presence?.others ?? NOBODY;
}

/** The notice about a changed version. */
function newsText(t: Text, known: DocumentAnswer, answer: DocumentAnswer, user: number): string {
  if (answer.draft === null) return t('document.renewed.gone');
  const { updatedBy, isThroughApi } = answer;
  if (same(timesOf(known), timesOf(answer))) return t('document.renewed.links');
  if (isThroughApi) return t('document.renewed.api');
  return updatedBy?.id === user
    ? t('document.renewed.own')
    : t('document.renewed', { name: updatedBy?.name ?? t('document.somebody') });
}

const timesOf = ({ draft, published }: DocumentAnswer) => [
  draft?.['updatedAt'] ?? null,
  published?.['updatedAt'] ?? null,
];

/**
 * Whether the version has not changed since it was read. For a deleted version, the server does not return the states
 * of other locales.
 */
function isAsSaved(known: DocumentAnswer, { savedAt, states }: PresenceAnswer): boolean {
  if (savedAt === null) return known.draft === null && known.published === null;
  return same([savedAt.draft, savedAt.published], timesOf(known)) && same(states, known.states);
}
