/** Bulk actions: shown at once, sent in parts, and reported if some documents fail. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Outcome } from '../../../contract/lists.ts';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import { deleteDisplayed, markDisplayed } from '../../data/bulk-failures.ts';
import { request } from '../../data/client.ts';
import { type Begin, canDefer, defer, type Intent, perform, splitByRequest } from '../../data/deferred.ts';
import { refetchDocuments } from '../../data/lists.ts';
import { localeName } from '../../data/locales.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { useToasts } from '../../ui/toast.tsx';
import { type Refused, useRefused } from '../bulk-failures/bulk-failures.ts';

const REQUESTS = {
  publish: 'POST content/:uid/bulk/publish',
  unpublish: 'POST content/:uid/bulk/unpublish',
  delete: 'POST content/:uid/bulk/delete',
} as const;

/** The documents of a request. Progress is shown after each. */
const PIECE = 50;
interface Props {
  readonly schema: Schema;
  readonly type: ContentType;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
  /** The name of a document, if it is loaded. */
  readonly nameOf: (documentId: string) => string | undefined;
}

export interface Bulk {
  /**
   * Starts an action that can be undone until its notice disappears. Larger ones need the confirmation of `question`.
   */
  readonly start: (intent: Intent) => void;
  /** Starts an action that has been confirmed. */
  readonly startAnswered: (intent: Intent) => void;
  /** A large action that cannot be undone and waits for confirmation. */
  readonly question: Intent | undefined;
  readonly answer: (isYes: boolean) => void;
  readonly refused: readonly Refused[] | undefined;
  readonly forgetRefused: () => void;
}

export function useBulk({ schema, type, onChoose, nameOf }: Props): Bulk {
  const t = useText();
  const client = useQueryClient();
  const { show, follow } = useToasts();
  const [refused, setRefused] = useState<readonly Refused[]>();
  const read = useRefused(schema);
  const [question, setQuestion] = useState<Intent>();

  const doneText = ({ action, locale: code }: Intent, count: number): string =>
    action === 'delete' && code !== undefined
      ? t('lists.done.versions', { count, locale: localeName(schema, code) })
      : t(`lists.done.${action}`, { count });
  /** The text before the action is done: the states are known only afterwards. */
  const soonText = (intent: Intent): string =>
    intent.action !== 'delete'
      ? t(`lists.soon.${intent.action}`, { count: intent.documentIds.size })
      : doneText(intent, intent.documentIds.size);
  const tellRefused = async (
    { action, locale }: Intent,
    outcomes: readonly Outcome[],
    ids: readonly number[],
  ): Promise<void> => {
    const failed = outcomes.filter(({ error }) => error !== null);
    if (failed.length === 0) return;
    const told = await read({ type, locale, outcomes: failed, nameOf });
    show({
      text: t(`lists.refused.${action}`, { count: failed.length }),
      tone: 'danger',
      more: { label: t('lists.refused.show'), run: () => setRefused([told]) },
      onGone: () => void deleteDisplayed(ids),
    });
  };

  /** @param isReported whether a notice has already reported success. */
  const send = async (intent: Intent, begin: Begin, isReported: boolean): Promise<void> => {
    const { action, uid, locale } = intent;
    const { size: count } = intent.documentIds;
    const outcomes: Outcome[] = [];
    const ids: number[] = [];
    const going = follow();
    let isStopped = false;
    const stop = {
      label: t('lists.stop'),
      run: () => {
        isStopped = true;
      },
    };
    let failure: unknown;
    try {
      for (const piece of splitByRequest(intent, PIECE)) {
        if (isStopped) break;
        const { length: done } = outcomes;
        if (count > PIECE) going.tell(t(`lists.doing.${action}`, { done, count }), done / count, stop);
        const documentIds = [...begin(piece)];
        if (documentIds.length === 0) continue;
        const body = { documentIds, ...(locale === undefined ? {} : { locale }) };
        const { data, meta } = await request(REQUESTS[action], { params: { uid }, body, outlives: true });
        outcomes.push(...data);
        ids.push(...markDisplayed([meta.refused]));
      }
    } catch (error) {
      failure = error;
    }
    going.end();
    const answered = new Set(outcomes.map(({ documentId }) => documentId));
    const unanswered = new Set([...intent.documentIds].filter((id) => !answered.has(id)));
    const { length: done } = outcomes.filter(({ error }) => !error);
    if (isStopped) show({ text: t(`lists.stopped.${action}`, { done, count }) });
    else if (failure === undefined && !isReported && done > 0) show({ text: doneText(intent, done) });
    await tellRefused(intent, outcomes, ids);
    if (failure !== undefined) {
      const retry = (): void => startAnswered({ ...intent, documentIds: unanswered });
      show({ text: failureText(t, failure), tone: 'danger', retry });
      // The server may not respond for a while.
      void refetchDocuments(client, uid);
      return;
    }
    // Rows show their future state until then.
    await refetchDocuments(client, uid);
  };
  const startWaiting = (intent: Intent): void => {
    const deferred = defer(intent, (begin) => {
      close();
      return send(intent, begin, intent.action === 'delete');
    });
    onChoose(new Set());
    const close = show({
      text: soonText(intent),
      onGone: () => void deferred.send(),
      undo: () => {
        deferred.drop();
        onChoose(intent.documentIds);
      },
    });
  };
  const startAnswered = (intent: Intent): void => {
    if (canDefer(intent)) startWaiting(intent);
    else {
      onChoose(new Set());
      void perform(intent, (begin) => send(intent, begin, false));
    }
  };
  return {
    start: (intent) => (canDefer(intent) ? startWaiting(intent) : setQuestion(intent)),
    startAnswered,
    question,
    answer: (isYes) => {
      setQuestion(undefined);
      if (isYes && question) startAnswered(question);
    },
    refused,
    forgetRefused: () => setRefused(undefined),
  };
}
