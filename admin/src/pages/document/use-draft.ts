/** The draft of a page, with what it is kept and saved by. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { presenceQuery, useSession } from '../../data/session.ts';
import { keepUnsaved, unsavedOf } from '../../data/unsaved.ts';
import type { Unsaved } from '../../data/unsaved-version.ts';
import { newValues } from '../../form/values/new-values.ts';
import { useText } from '../../language/language.tsx';
import { type DocumentRequests, documentQuery, SINGLE } from './document-query.ts';
import { Draft } from './draft.ts';

/** Has what shows many documents asked for again when it is seen next. */
export function staleLists(client: QueryClient, uid: string): void {
  for (const queryKey of [['list', uid], ['cohorts', uid], ['home']]) {
    void client.invalidateQueries({ queryKey, refetchType: 'none' });
  }
}

interface DraftOptions {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly answered: DocumentAnswer;
  readonly requests: DocumentRequests;
  readonly savesItself: boolean;
  readonly onCreated: (documentId: string) => void;
}

/** The draft of the page, for as long as it is open; and what was kept of it when it was open before. */
export function useDraft({ schema, model, answered, requests, savesItself, onCreated }: DraftOptions) {
  const client = useQueryClient();
  const t = useText();
  const { id: user } = useSession().user;
  const placeOf = ({ documentId, locale }: DocumentAnswer) => ({ user, uid: model.uid, documentId, locale });
  const [kept, setKept] = useState<Unsaved | undefined>(() => unsavedOf(placeOf(answered)));
  const undecided = useRef(kept);
  const decide = (): void => {
    undecided.current = undefined;
    setKept(undefined);
  };
  const [draft] = useState(() => {
    let known = answered.documentId;
    return new Draft({
      schema,
      model,
      server: answered,
      initial: newValues(schema, model),
      savesItself,
      write: requests.write,
      unreadable: t('form.problem.unreadable'),
      keep: (server, unsaved) => {
        // what was found here stays until somebody has decided about it
        const found = undecided.current;
        const both = found && { ...found, values: { ...found.values, ...unsaved?.values } };
        keepUnsaved(placeOf(server), both ?? unsaved);
      },
      onSaved: (answer) => {
        const named = model.kind === 'singleType' ? SINGLE : answer.documentId!;
        client.setQueryData(documentQuery(model.uid, named, answer.locale).queryKey, answer);
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
  });
  // what the server says later counts as long as nothing was written
  useEffect(() => draft.refresh(answered), [draft, answered]);
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
  return { draft, kept, decide };
}
