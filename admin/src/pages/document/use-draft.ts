/** The draft of a page, with what it is kept and saved by. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { presenceQuery, useSession } from '../../data/session.ts';
import { keepUnsaved, unsavedOf } from '../../data/unsaved.ts';
import type { Unsaved } from '../../data/unsaved-version.ts';
import { newValues } from '../../form/values/new-values.ts';
import { type DocumentRequests, documentQuery, SINGLE } from './document-query.ts';
import { Draft } from './draft.ts';
import { useOthers } from './use-others.ts';

/** Has what shows many documents asked for again when it is seen next. */
export function staleLists(client: QueryClient, uid: string): void {
  for (const queryKey of [['list', uid], ['cohorts', uid], ['home']]) {
    void client.invalidateQueries({ queryKey, refetchType: 'none' });
  }
}

/** Where what is unsaved of a version is kept: of a single type there is one document, whatever its id. */
export function unsavedPlace(user: number, { uid, kind }: ContentType, { documentId, locale }: DocumentAnswer) {
  return { user, uid, documentId: kind === 'singleType' ? null : documentId, locale };
}

interface DraftOptions {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly answered: DocumentAnswer;
  /** What was kept of it, where it was deleted before the page was opened; and what there is instead. */
  readonly lost: { readonly kept: Unsaved; readonly left: DocumentAnswer } | undefined;
  /** Whether the server is being asked for something newer than that. */
  readonly isAsking: boolean;
  readonly requests: DocumentRequests;
  readonly savesItself: boolean;
  readonly onCreated: (documentId: string) => void;
}

/** The draft of the page, for as long as it is open; and what was kept of it when it was open before. */
export function useDraft({ schema, model, answered, lost, isAsking, requests, savesItself, onCreated }: DraftOptions) {
  const client = useQueryClient();
  const { id: user } = useSession().user;
  const placeOf = (server: DocumentAnswer) => unsavedPlace(user, model, server);
  const [kept, setKept] = useState<Unsaved | undefined>(() => (lost ? undefined : unsavedOf(placeOf(answered))));
  const undecided = useRef(kept);
  const wasMade = useMade(model, answered, kept);
  const decide = (): void => {
    undecided.current = undefined;
    setKept(undefined);
  };
  const [draft] = useState(() => {
    let known = answered.documentId;
    const made = new Draft({
      schema,
      model,
      server: answered,
      initial: newValues(schema, model),
      isOpening: isAsking,
      savesItself,
      write: requests.write,
      keep: (server, unsaved) => {
        // what was found here stays until somebody has decided about it
        const found = undecided.current;
        const both = found && { ...found, values: { ...found.values, ...unsaved?.values } };
        keepUnsaved(placeOf(server), both ?? unsaved);
      },
      onSaved: (answer) => {
        const named = model.kind === 'singleType' ? SINGLE : answer.documentId!;
        const { queryKey } = documentQuery(model.uid, named, answer.locale);
        // an answer to what was asked before says what there was before
        void client.cancelQueries({ queryKey });
        client.setQueryData(queryKey, answer);
        staleLists(client, model.uid);
        // they say what states all locales are in
        void client.invalidateQueries({
          queryKey: ['document', model.uid, named],
          predicate: ({ queryKey }) => queryKey[3] !== answer.locale,
          refetchType: 'none',
        });
        if (known !== answer.documentId) onCreated(answer.documentId!);
        known = answer.documentId;
      },
    });
    if (lost) made.recover(lost.kept, lost.left);
    return made;
  });
  // what the server says later counts as long as nothing was written
  useEffect(() => {
    draft.refresh(answered);
  }, [draft, answered]);
  const others = useOthers(draft, model, answered);
  // what was found here is unsaved only as far as the server does not have it, whichever answer was lost
  const [isAsked, setAsked] = useState(!isAsking);
  if (!isAsking && !isAsked) setAsked(true);
  useEffect(() => {
    if (isAsked) void draft.opened();
  }, [draft, isAsked]);
  useEffect(() => {
    if (!kept || !draft.hasKept(kept)) return;
    decide();
    draft.dropKept();
  });
  useEffect(() => {
    const leave = (): void => draft.leave();
    addEventListener('online', draft.online);
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('online', draft.online);
      removeEventListener('pagehide', leave);
      const presence = client.getQueryData(presenceQuery.queryKey);
      // whoever has signed out leaves nothing behind
      if (presence?.signedIn === false && presence.onPurpose) draft.forget();
      else draft.leave(presence?.signedIn === true && presence.session.user.id === user);
    };
  }, [draft, client, user]);
  const { made } = wasMade;
  useEffect(() => {
    if (!kept || !made?.draft) return;
    keepUnsaved({ user, uid: model.uid, documentId: null, locale: made.locale }, undefined);
    keepUnsaved({ user, uid: model.uid, documentId: made.documentId, locale: made.locale }, kept);
    onCreated(made.documentId!);
  }, [kept, made, user, model.uid, onCreated]);
  return { draft, kept: isAsked && !wasMade.isAsking ? kept : undefined, decide, others };
}

/** Looks whether a new document of which something is kept was made all the same: its answer may have been lost. */
function useMade({ uid, kind }: ContentType, { documentId, locale }: DocumentAnswer, kept: Unsaved | undefined) {
  const newId = documentId === null && kind === 'collectionType' ? kept?.newId : undefined;
  const enabled = newId !== undefined;
  const { data, isLoading } = useQuery({ ...documentQuery(uid, newId ?? '', locale), enabled });
  return { made: enabled ? data : undefined, isAsking: isLoading };
}
