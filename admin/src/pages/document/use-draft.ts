/** The draft of a page, with its storage on the device. */
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { registerDraft } from '../../data/open-drafts.ts';
import { presenceQuery, useSession } from '../../data/session.ts';
import {
  removeUnsaved,
  type StoredUnsaved,
  storedUnsavedOf,
  storeUnsaved,
  type UnsavedPlace,
} from '../../data/unsaved.ts';
import { commitPendingInput } from '../../form/pending-input.ts';
import type { GoneField } from '../../form/values/gone-fields.ts';
import { newValues } from '../../form/values/new-values.ts';
import { type DocumentRequests, documentQuery, SINGLE } from './document-query.ts';
import { Draft } from './draft.ts';
import { newDocumentId } from './new-document.ts';
import { useOthers } from './other-editors.tsx';

/** Marks all lists of a type as outdated. */
export function staleLists(client: QueryClient, uid: string): void {
  for (const queryKey of [['list', uid], ['cohorts', uid], ['home']]) {
    void client.invalidateQueries({ queryKey, refetchType: 'none' });
  }
}

/** The place of unsaved changes on the device. A single type has one document with any id. */
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
  /** The stored changes of a document that was deleted while it was closed, and what remains of it. */
  readonly lost: { readonly kept: StoredUnsaved; readonly left: DocumentAnswer } | undefined;
  /** Whether the latest version is loading. */
  readonly isAsking: boolean;
  readonly requests: DocumentRequests;
  readonly savesItself: boolean;
  readonly onCreated: (documentId: string) => void;
}

/** Stored changes and their place. */
interface StoredDraft {
  readonly kept: StoredUnsaved;
  readonly place: UnsavedPlace;
}

/** The draft of the page while it is open, and stored changes of an earlier visit. */
export function useDraft({ schema, model, answered, lost, isAsking, requests, savesItself, onCreated }: DraftOptions) {
  const client = useQueryClient();
  const { id: user } = useSession().user;
  const placeOf = (server: DocumentAnswer) => unsavedPlace(user, model, server);
  const here = placeOf(answered);
  const { kept: wanted } = useSearch({ from: '/inside/content/$uid/$documentId' });
  const navigate = useNavigate();
  const isWanted = ({ writers }: StoredUnsaved): boolean => writers.some(({ id }) => id === wanted);
  const [found, setFound] = useState<readonly StoredDraft[]>(() =>
    lost
      ? []
      : storedUnsavedOf(here)
          .toSorted((a, b) => Number(isWanted(b)) - Number(isWanted(a)))
          .map((stored) => ({ kept: stored, place: here })),
  );
  // Several pages may have stored changes. The user decides about one after the other. Changes that belong to another
  // new document are found again when one is created.
  const first = found.find(({ place }) => place.documentId === here.documentId);
  const stored = first?.kept;
  const wasMade = useMade(model, answered, stored);
  const writer = useRef(lost?.kept.writers[0].id ?? newDocumentId());
  const isDecided = (): void => setFound(found.filter((one) => one !== first));
  const dropKept = (): void => {
    if (first) removeUnsaved(first.place, first.kept);
    isDecided();
  };
  /** Restores the changes. Returns false if other unsaved changes are in the way and cannot be saved. */
  const bringBack = async (): Promise<boolean> => {
    if (!first) return true;
    // Another tab may have continued them.
    const isSame = ({ writers }: StoredUnsaved): boolean =>
      writers.some(({ id }) => first.kept.writers.some((one) => one.id === id));
    const latest = storedUnsavedOf(first.place).find(isSame) ?? first.kept;
    if (draft.isInTheWayOf(latest) && (draft.before === null || !(await draft.flush()))) return false;
    isDecided();
    draft.bringBack(latest);
    draft.keep();
    removeUnsaved(first.place, latest);
    return true;
  };
  const [draft] = useState(() => {
    let known = answered.documentId;
    const created = new Draft({
      schema,
      model,
      server: answered,
      initial: newValues(schema, model),
      isOpening: isAsking,
      savesItself,
      write: requests.write,
      canOutlive: requests.canOutlive,
      keep: (server, unsaved) => storeUnsaved(placeOf(server), writer.current, unsaved),
      onSaved: (answer) => {
        const named = model.kind === 'singleType' ? SINGLE : answer.documentId!;
        const { queryKey } = documentQuery(model.uid, named, answer.locale);
        // An answer to an earlier request would be outdated.
        void client.cancelQueries({ queryKey });
        client.setQueryData(queryKey, answer);
        staleLists(client, model.uid);
        // Other locales contain the states of all locales.
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
      created.recover(lost.kept, lost.left);
      created.keep();
      for (const { id } of lost.kept.writers.slice(1)) storeUnsaved(here, id, undefined);
    }
    return created;
  });
  const [gone, setGone] = useState<readonly GoneField[]>([]);
  // The schema is followed before answers in its format are taken.
  useEffect(() => {
    const lately = draft.follow({ schema, model, initial: newValues(schema, model), savesItself });
    const isAgain = ({ label }: GoneField): boolean => model.attributes.some((attribute) => attribute.label === label);
    setGone((earlier) =>
      lately.length === 0 && !earlier.some(isAgain)
        ? earlier
        : [...earlier.filter((field) => !isAgain(field)), ...lately],
    );
  }, [draft, schema, model, savesItself]);
  // Answers of the server are taken as long as there are no changes.
  useEffect(() => {
    draft.refresh(answered);
  }, [draft, answered]);
  const present = useOthers(draft, model, answered);
  // Stored changes count only as far as the server does not have them: an answer may have been lost.
  const [isAsked, setAsked] = useState(!isAsking);
  if (!isAsking && !isAsked) setAsked(true);
  useEffect(() => {
    if (isAsked) void draft.opened();
  }, [draft, isAsked]);
  useEffect(() => {
    if (stored && draft.hasKept(stored)) dropKept();
  });
  useEffect(
    () =>
      registerDraft(user, async () => {
        await commitPendingInput();
        return draft.settle();
      }),
    [draft, user],
  );
  useEffect(() => {
    const leave = (): void => {
      // A password is put into the form when its field loses the focus.
      void commitPendingInput();
      void draft.leave();
    };
    const ask = (event: BeforeUnloadEvent): void => {
      void commitPendingInput();
      if (draft.losesPassword) event.preventDefault();
    };
    addEventListener('online', draft.online);
    addEventListener('beforeunload', ask);
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('online', draft.online);
      removeEventListener('pagehide', leave);
      const presence = client.getQueryData(presenceQuery.queryKey);
      // Signing out deletes everything.
      if (presence?.signedIn === false && presence.onPurpose) draft.forget();
      const left = draft.leave(presence?.signedIn === true && presence.session.user.id === user);
      // The tab may close before the last changes are stored.
      void left.finally(() => removeEventListener('beforeunload', ask));
    };
  }, [draft, client, user]);
  const { made } = wasMade;
  // Opening the document from the list of unsaved ones restores it.
  const isChosen = stored !== undefined && isAsked && !wasMade.isAsking && isWanted(stored);
  useEffect(() => {
    if (wanted === undefined) return;
    if (isChosen) void bringBack();
    const search = (before: object) => ({ ...before, kept: undefined });
    if (isChosen || !stored) void navigate({ to: '.', search, replace: true });
  });
  useEffect(() => {
    if (!first || first.place.documentId !== null || !made?.draft) return;
    const place = { ...first.place, documentId: made.documentId };
    storeUnsaved(place, first.kept.writers[0].id, first.kept);
    removeUnsaved(first.place, first.kept);
    setFound((found) => found.map((one) => (one === first ? { ...one, place } : one)));
    onCreated(made.documentId!);
  }, [first, made, onCreated]);
  return {
    draft,
    isOpening: !isAsked,
    kept: isAsked && !wasMade.isAsking ? stored : undefined,
    dropKept,
    bringBack,
    gone,
    forgetGone: () => setGone([]),
    others: present,
  };
}

/** Checks whether a new document with stored changes was created after all: the answer may have been lost. */
function useMade(
  { uid, kind }: ContentType,
  { documentId, locale }: DocumentAnswer,
  stored: StoredUnsaved | undefined,
) {
  const newId = documentId === null && kind === 'collectionType' ? stored?.newId : undefined;
  const enabled = newId !== undefined;
  const { data, isLoading } = useQuery({ ...documentQuery(uid, newId ?? '', locale), enabled });
  return { made: enabled ? data : undefined, isAsking: isLoading };
}
