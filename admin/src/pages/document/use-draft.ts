/** The draft of a page, with what it is kept and saved by. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { whileWritten } from '../../data/open-drafts.ts';
import { presenceQuery, useSession } from '../../data/session.ts';
import { dropUnsaved, keepUnsaved, type StoredUnsaved, type UnsavedPlace, unsavedOf } from '../../data/unsaved.ts';
import { commitWritten } from '../../form/uncommitted.ts';
import { newValues } from '../../form/values/new-values.ts';
import { type DocumentRequests, documentQuery, SINGLE } from './document-query.ts';
import { Draft } from './draft.ts';
import { newDocumentId } from './new-document.ts';
import { useOthers } from './others.tsx';

/** Has what shows many documents asked for again when it is seen next. */
export function staleLists(client: QueryClient, uid: string): void {
  for (const queryKey of [['list', uid], ['cohorts', uid], ['home']]) {
    void client.invalidateQueries({ queryKey, refetchType: 'none' });
  }
}

/** Where what is unsaved of a version is kept: of a single type there is one document, whatever its id. */
export function unsavedPlace(
  user: number,
  { uid, kind }: ContentType,
  { documentId, locale }: DocumentAnswer,
): UnsavedPlace {
  return { user, uid, documentId: kind === 'singleType' ? null : documentId, locale };
}

interface DraftOptions {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly answered: DocumentAnswer;
  /** What was kept of it, where it was deleted before the page was opened; and what there is instead. */
  readonly lost: { readonly kept: StoredUnsaved; readonly left: DocumentAnswer } | undefined;
  /** Whether the server is being asked for something newer than that. */
  readonly isAsking: boolean;
  readonly requests: DocumentRequests;
  readonly savesItself: boolean;
  readonly onCreated: (documentId: string) => void;
}

/** What was found on the device, and where. */
interface Found {
  readonly kept: StoredUnsaved;
  readonly place: UnsavedPlace;
}

/** The draft of the page, for as long as it is open; and what was kept of it when it was open before. */
export function useDraft({ schema, model, answered, lost, isAsking, requests, savesItself, onCreated }: DraftOptions) {
  const client = useQueryClient();
  const { id: user } = useSession().user;
  const placeOf = (server: DocumentAnswer) => unsavedPlace(user, model, server);
  const here = placeOf(answered);
  const { kept: wanted } = useSearch({ from: '/inside/content/$uid/$documentId' });
  const navigate = useNavigate();
  const isWanted = ({ writers }: StoredUnsaved): boolean => writers.some(({ id }) => id === wanted);
  const [found, setFound] = useState<readonly Found[]>(() =>
    lost
      ? []
      : unsavedOf(here)
          .toSorted((a, b) => Number(isWanted(b)) - Number(isWanted(a)))
          .map((kept) => ({ kept, place: here })),
  );
  // several pages may have written here: it is decided about one after the other. What is to be another new document is
  // found again where one is begun
  const first = found.find(({ place }) => place.documentId === here.documentId);
  const kept = first?.kept;
  const wasMade = useMade(model, answered, kept);
  const writer = useRef(lost?.kept.writers[0].id ?? newDocumentId());
  const isDecided = (): void => setFound(found.filter((one) => one !== first));
  const dropKept = (): void => {
    if (first) dropUnsaved(first.place, first.kept);
    isDecided();
  };
  /** Brings it back. False where something else is written in its place that could not be saved before. */
  const bringBack = async (): Promise<boolean> => {
    if (!first) return true;
    // another tab may have gone on with it
    const isSame = ({ writers }: StoredUnsaved): boolean =>
      writers.some(({ id }) => first.kept.writers.some((one) => one.id === id));
    const latest = unsavedOf(first.place).find(isSame) ?? first.kept;
    if (draft.isInTheWayOf(latest) && (draft.before === null || !(await draft.flush()))) return false;
    isDecided();
    draft.bringBack(latest);
    draft.keep();
    dropUnsaved(first.place, latest);
    return true;
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
      canOutlive: requests.canOutlive,
      keep: (server, unsaved) => keepUnsaved(placeOf(server), writer.current, unsaved),
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
    if (lost) {
      made.recover(lost.kept, lost.left);
      made.keep();
      for (const { id } of lost.kept.writers.slice(1)) keepUnsaved(here, id, undefined);
    }
    return made;
  });
  // what the server says later counts as long as nothing was written
  useEffect(() => {
    draft.refresh(answered);
  }, [draft, answered]);
  const present = useOthers(draft, model, answered);
  // what was found here is unsaved only as far as the server does not have it, whichever answer was lost
  const [isAsked, setAsked] = useState(!isAsking);
  if (!isAsking && !isAsked) setAsked(true);
  useEffect(() => {
    if (isAsked) void draft.opened();
  }, [draft, isAsked]);
  useEffect(() => {
    if (kept && draft.hasKept(kept)) dropKept();
  });
  useEffect(
    () =>
      whileWritten(user, async () => {
        await commitWritten();
        return draft.settle();
      }),
    [draft, user],
  );
  useEffect(() => {
    const leave = (): void => {
      // a password is put into the form when one leaves its field
      void commitWritten();
      void draft.leave();
    };
    const ask = (event: BeforeUnloadEvent): void => {
      void commitWritten();
      if (draft.losesPassword) event.preventDefault();
    };
    addEventListener('online', draft.online);
    addEventListener('beforeunload', ask);
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('online', draft.online);
      removeEventListener('pagehide', leave);
      const presence = client.getQueryData(presenceQuery.queryKey);
      // whoever has signed out leaves nothing behind
      if (presence?.signedIn === false && presence.onPurpose) draft.forget();
      const left = draft.leave(presence?.signedIn === true && presence.session.user.id === user);
      // the tab may close before what was written last has its turn
      void left.finally(() => removeEventListener('beforeunload', ask));
    };
  }, [draft, client, user]);
  const { made } = wasMade;
  // who has opened it from a list has decided already
  const isChosen = kept !== undefined && isAsked && !wasMade.isAsking && isWanted(kept);
  useEffect(() => {
    if (wanted === undefined) return;
    if (isChosen) void bringBack();
    const search = (before: object) => ({ ...before, kept: undefined });
    if (isChosen || !kept) void navigate({ to: '.', search, replace: true });
  });
  useEffect(() => {
    if (!first || first.place.documentId !== null || !made?.draft) return;
    const place = { ...first.place, documentId: made.documentId };
    keepUnsaved(place, first.kept.writers[0].id, first.kept);
    dropUnsaved(first.place, first.kept);
    setFound((found) => found.map((one) => (one === first ? { ...one, place } : one)));
    onCreated(made.documentId!);
  }, [first, made, onCreated]);
  return {
    draft,
    isOpening: !isAsked,
    kept: isAsked && !wasMade.isAsking ? kept : undefined,
    dropKept,
    bringBack,
    others: present,
  };
}

/** Looks whether a new document of which something is kept was made all the same: its answer may have been lost. */
function useMade({ uid, kind }: ContentType, { documentId, locale }: DocumentAnswer, kept: StoredUnsaved | undefined) {
  const newId = documentId === null && kind === 'collectionType' ? kept?.newId : undefined;
  const enabled = newId !== undefined;
  const { data, isLoading } = useQuery({ ...documentQuery(uid, newId ?? '', locale), enabled });
  return { made: enabled ? data : undefined, isAsking: isLoading };
}
