/** Unpublishing a document. It appears at once and is sent when it can no longer be undone. */
import { useQueryClient } from '@tanstack/react-query';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { deleteDisplayed, markDisplayed } from '../../data/bulk-failures.ts';
import { refusedError, request } from '../../data/client.ts';
import { type Begin, cancelDeferred, defer, type Intent, useIntents } from '../../data/deferred.ts';
import { refetchDocuments } from '../../data/lists.ts';
import { localeName } from '../../data/locales.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { useToasts } from '../../ui/toast.tsx';
import { SINGLE } from './document-query.ts';

interface Unpublishing {
  /** The document in its future state. */
  readonly shown: DocumentAnswer;
  readonly unpublish: () => void;
  /** Cancels unpublishing. */
  readonly stay: () => void;
}

export function useUnpublishing(schema: Schema, { uid, kind }: ContentType, server: DocumentAnswer): Unpublishing {
  const t = useText();
  const client = useQueryClient();
  const { show } = useToasts();
  const { documentId, locale } = server;
  const waiting = useIntents().find(
    (intent) =>
      intent.uid === uid &&
      intent.action === 'unpublish' &&
      intent.documentIds.has(documentId ?? '') &&
      (intent.locale ?? null) === locale,
  );
  const fail = (error: unknown, intent: Intent): void => {
    show({ text: failureText(t, error), tone: 'danger', retry: () => start(intent) });
  };
  /** The site may still show the document in other locales. */
  const doneText = ({ locale: code = '' }: Intent): string => {
    const isElsewhere = Object.entries(server.states).some(([other, state]) => other !== code && state !== 'draft');
    return isElsewhere
      ? t('document.unpublishedVersion', { locale: localeName(schema, code) })
      : t('document.unpublished');
  };
  const send = async (intent: Intent, begin: Begin): Promise<void> => {
    const documentIds = [...begin([...intent.documentIds])];
    // The page has sent it already, because it seemed to close.
    if (documentIds.length === 0) return;
    const body = {
      documentIds,
      ...(intent.locale !== undefined && { locale: intent.locale }),
    };
    try {
      const { data, meta } = await request('POST content/:uid/bulk/unpublish', {
        params: { uid },
        body,
        outlives: true,
      });
      const error = data[0]?.error;
      void deleteDisplayed(markDisplayed([meta.refused]));
      if (error) fail(refusedError(error), intent);
      else show({ text: doneText(intent) });
    } catch (error) {
      fail(error, intent);
    } finally {
      refetchDocuments(client, uid);
      const named = kind === 'singleType' ? SINGLE : documentId;
      await client.invalidateQueries({ queryKey: ['document', uid, named] });
    }
  };
  const start = (intent: Intent): void => {
    const deferred = defer(intent, (begin) => {
      close();
      return send(intent, begin);
    });
    const close = show({ text: t('document.unpublishing'), onGone: () => void deferred.send(), undo: deferred.drop });
  };
  return {
    shown: waiting ? offSite(server) : server,
    unpublish: () => {
      if (documentId === null || waiting) return;
      start({ uid, action: 'unpublish', documentIds: new Set([documentId]), locale: locale ?? undefined });
    },
    stay: () => {
      if (waiting) cancelDeferred(waiting);
    },
  };
}

function offSite(server: DocumentAnswer): DocumentAnswer {
  const states = { ...server.states, [server.locale ?? '']: 'draft' as const };
  return { ...server, published: null, publishedCounts: {}, states };
}
