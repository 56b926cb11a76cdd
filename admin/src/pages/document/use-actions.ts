/** The actions on the document of a page: publish, take back changes, duplicate, delete. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { commitPendingInput } from '../../form/pending-input.ts';
import { differences } from '../../form/values/differences.ts';
import { publishedWithCounts } from '../../form/values/links.ts';
import { valuesToRestore } from '../../form/values/undo-discard.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { useToasts } from '../../ui/toast.tsx';
import { deletionOf, restoreDeletion } from '../trash/data.ts';
import { type DocumentRequests, documentQuery, SINGLE } from './document-query.ts';
import type { Draft } from './draft.ts';
import { goToErrors } from './field-focus.ts';
import { listOf } from './neighbours.ts';
import { staleLists } from './use-draft.ts';

interface Options {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly draft: Draft;
  readonly requests: DocumentRequests;
  /** The name of the document. */
  readonly name: string;
  /** Called if someone else has saved the document, and the user has to choose. */
  readonly onConflict: () => void;
  /** Called if publishing would change the site, to show the changes first. */
  readonly onCompare: () => void;
}

type Action = 'publish' | 'schedule' | 'discard' | 'duplicate' | 'save';

export interface Actions {
  /** The running action. */
  readonly busy: Action | undefined;
  readonly saveNow: () => void;
  /**
   * Publishes the document, or saves it for types without drafts. @param isSeen whether the user has seen the changes.
   */
  readonly publish: (isSeen: boolean) => void;
  /** Saves the draft, and calls a function that may then schedule its publication. */
  readonly schedule: (open: () => void) => void;
  /** Resets the draft to the published version. */
  readonly discard: (canReturn: boolean) => void;
  readonly duplicate: () => void;
  readonly remove: (whole: boolean) => Promise<void>;
}

export function useActions({ schema, model, draft, requests, name, onConflict, onCompare }: Options): Actions {
  const t = useText();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { show } = useToasts();
  const [busy, setBusy] = useState<Action>();

  const fail = (error: unknown): void => {
    show({ text: failureText(t, error), tone: 'danger' });
  };
  /** Reports why nothing was done, unless errors at fields show it. */
  const tellUnsaved = (): void => {
    const { status, refusal, errors } = draft.get();
    if (status === 'offline') show({ text: t('document.unreachable'), tone: 'danger' });
    else if (errors.length > 0) show({ text: t('document.errors', { count: errors.length }) });
    else if (refusal) fail(refusal);
  };
  const during = (action: Action, work: () => Promise<unknown>): void => {
    if (busy !== undefined) return;
    setBusy(action);
    void work()
      .catch(fail)
      .finally(() => setBusy(undefined));
  };
  const changesSite = (): boolean => {
    const { server, values } = draft.get();
    return differences(schema, model, values, publishedWithCounts(schema, model, server)).length > 0;
  };
  const publishOrSave = async (): Promise<void> => {
    if (model.draftAndPublish) {
      const isDone = await draft.act((saved) => requests.move('publish', saved));
      if (isDone) show({ text: t('document.published') });
    } else if (await draft.save()) show({ text: t('saved') });
  };

  return {
    busy,
    saveNow: () =>
      during('save', async () => {
        await commitPendingInput();
        if (!(await draft.save()) && draft.get().status === 'offline') tellUnsaved();
      }),
    publish: (isSeen) =>
      during('publish', async () => {
        await commitPendingInput();
        // The comparison shows what is published. After a failed save, it is shown again.
        const isUnseen = model.draftAndPublish && !isSeen;
        const isReady = !isUnseen || (await draft.save(true));
        if (isReady && isUnseen && changesSite()) return onCompare();
        if (isReady && !draft.get().theirs) await publishOrSave();
        const { theirs, errors } = draft.get();
        if (theirs) onConflict();
        else if (errors[0]) goToErrors(errors[0].path);
        else tellUnsaved();
      }),
    schedule: (open) =>
      during('schedule', async () => {
        await commitPendingInput();
        const isSaved = await draft.flush();
        const { theirs } = draft.get();
        if (theirs) onConflict();
        else if (isSaved) open();
        else tellUnsaved();
      }),
    discard: (canReturn) =>
      during('discard', async () => {
        const { values: written } = draft.get();
        if (!(await draft.replace((saved) => requests.move('discard', saved)))) {
          const { theirs, refusal } = draft.get();
          if (theirs) onConflict();
          else if (refusal) fail(refusal);
          return;
        }
        const undo = (): void => draft.fill(valuesToRestore(schema, model, draft.get().values, written));
        show({ text: t('document.discarded'), ...(canReturn && { undo }) });
      }),
    duplicate: () =>
      during('duplicate', async () => {
        if (!(await draft.flush())) return tellUnsaved();
        const copy = await requests.duplicate(draft.get().server);
        client.setQueryData(documentQuery(model.uid, copy.documentId!, copy.locale).queryKey, copy);
        await navigate({
          to: '/content/$uid/$documentId',
          params: { uid: model.uid, documentId: copy.documentId! },
          search: copy.locale === null ? {} : { locale: copy.locale },
        });
        show({ text: t('document.duplicated') });
      }),
    remove: async (whole) => {
      const { server } = draft.get();
      try {
        if (!(await draft.remove((seen: DocumentAnswer) => requests.remove(seen, whole)))) {
          const { theirs, refusal } = draft.get();
          if (theirs) onConflict();
          else if (refusal) fail(refusal);
          return;
        }
      } catch (error) {
        fail(error);
        return;
      }
      draft.forget();
      const rest = Object.keys(server.states).filter((code) => code !== server.locale);
      staleLists(client, model.uid);
      const isGone = whole || rest.length === 0;
      const locale = server.locale ?? '';
      const text = isGone ? t('document.deleted', { name }) : t('document.deletedVersion', { name, locale });
      const deletion = server.documentId === null ? undefined : await deletionOf(model.uid, server.documentId);
      const undo = (): void => {
        if (deletion) restoreDeletion(deletion).then(() => staleLists(client, model.uid), fail);
      };
      show({ text, ...(deletion?.mayRestore && { undo }) });
      const named = model.kind === 'singleType' ? SINGLE : server.documentId;
      const documents = ['document', model.uid, named];
      if (isGone) {
        await navigate(listOf(model.uid));
        client.removeQueries({ queryKey: documents });
      } else {
        const search = (before: object) => ({ ...before, locale: rest[0] });
        await navigate({ to: '.', search, replace: true });
        // The remaining versions were loaded after the deletion.
        client.removeQueries({ queryKey: [...documents, server.locale] });
        await client.invalidateQueries({ queryKey: documents });
      }
    },
  };
}
