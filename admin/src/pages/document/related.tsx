/** Creating a document to link, beside the form that links it. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer, Linked } from '../../../contract/documents.ts';
import { defaultLocale, mayInLocale, schemaFor } from '../../data/locales.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useSession } from '../../data/session.ts';
import { storeUnsaved } from '../../data/unsaved.ts';
import { DocumentForm } from '../../form/document-form.tsx';
import type { Related } from '../../form/host.ts';
import { commitPendingInput } from '../../form/pending-input.ts';
import { newValues } from '../../form/values/new-values.ts';
import { useKeys } from '../../keys/keys.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { typeLabel } from '../../language/type-name.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog, SidePanel } from '../../ui/dialog.tsx';
import { useToasts } from '../../ui/toast.tsx';
import styles from './document.module.css';
import { requestsFor } from './document-query.ts';
import { Draft } from './draft.ts';
import { newDocumentId, nothingYet } from './new-document.ts';
import { staleLists, unsavedPlace } from './use-draft.ts';

/** The maximum number of forms beside that of the page. */
const DEEPEST = 2;

interface Wanted {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly locale: string | null;
  readonly name: string;
  readonly onMade: (created: Linked) => void;
}

/**
 * Returns the functions for creating related documents, and the open form.
 *
 * @param locale the locale of the form: related documents are created in it if their type has locales.
 * @param depth the number of open forms of related documents.
 */
export function useRelated(locale: string | null, depth = 0): { readonly related: Related; readonly panel: ReactNode } {
  const { data: whole } = useQuery(schemaQuery);
  const { rights } = useSession();
  const [wanted, setWanted] = useState<Wanted>();
  const related = useMemo((): Related => {
    const placeOf = (uid: string): Omit<Wanted, 'name' | 'onMade'> | undefined => {
      const model = whole?.contentTypes.find((type) => type.uid === uid);
      if (!whole || model?.kind !== 'collectionType' || !model.actions.create) return undefined;
      const schema = schemaFor(whole, model, rights);
      const suits = (code: string): boolean => mayInLocale(rights, 'create', model, code);
      const code = model.localized ? (locale ?? defaultLocale(schema, suits) ?? null) : null;
      return mayInLocale(rights, 'create', model, code) ? { schema, model, locale: code } : undefined;
    };
    return {
      may: (type) => placeOf(type) !== undefined,
      isNested: depth >= DEEPEST,
      create: (type, name, onMade) => {
        const place = placeOf(type);
        if (place) setWanted({ ...place, name, onMade });
      },
    };
  }, [whole, rights, locale, depth]);
  const panel = wanted && <RelatedPanel {...wanted} depth={depth + 1} onClose={() => setWanted(undefined)} />;
  return { related, panel };
}

interface PanelProps extends Wanted {
  readonly depth: number;
  readonly onClose: () => void;
}

function RelatedPanel({ schema, model, locale, name, depth, onMade, onClose }: PanelProps): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const client = useQueryClient();
  const { id: user } = useSession().user;
  const [busy, setBusy] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const writer = useRef(newDocumentId());
  const [{ draft, begun }] = useState(() => {
    const requests = requestsFor(model);
    const made = new Draft({
      schema,
      model,
      server: nothingYet(locale),
      initial: newValues(schema, model),
      savesItself: false,
      write: requests.write,
      canOutlive: requests.canOutlive,
      keep: (server, unsaved) => storeUnsaved(unsavedPlace(user, model, server), writer.current, unsaved),
      onSaved: () => staleLists(client, model.uid),
    });
    const main = model.attributes.find((attribute) => attribute.name === model.layout.mainField);
    if (main?.writableInNew && (main.type === 'string' || main.type === 'text')) made.change([main.name], name);
    return { draft: made, begun: made.get().values };
  });
  const state = useSyncExternalStore(draft.subscribe, draft.get);
  const isOver = useRef(false);
  const stay = useRef<HTMLButtonElement>(null);
  // If the user leaves the page, the home page lists the unsaved document.
  useEffect(() => () => void (isOver.current || draft.keep()), [draft]);
  const { related, panel } = useRelated(locale, depth);

  const end = (): void => {
    isOver.current = true;
    draft.forget();
    onClose();
  };
  const leave = (): void => {
    if (draft.get().values === begun) end();
    else setAsking(true);
  };
  const save = async (): Promise<void> => {
    if (busy) return;
    setBusy(true);
    try {
      await commitPendingInput();
      if (await draft.save()) {
        const { server } = draft.get();
        end();
        onMade(linkedOf(model, server));
        return;
      }
      const { status, refusal, errors } = draft.get();
      if (status === 'offline') show({ text: t('document.unreachable'), tone: 'danger' });
      else if (refusal && errors.length === 0) show({ text: failureText(t, refusal), tone: 'danger' });
    } finally {
      setBusy(false);
    }
  };
  const title = t('relation.create.title', { type: typeLabel(t, model) });
  return (
    <SidePanel
      open
      onOpenChange={(open) => !open && leave()}
      title={title}
      actions={
        <>
          {!model.draftAndPublish && <span className={styles['going']}>{t('relation.create.onSite')}</span>}
          <CancelButton onClick={leave} />
          <Button look="primary" busy={busy} onClick={() => void save()}>
            {t('relation.create.save')}
          </Button>
        </>
      }
    >
      <SaveKey run={() => void save()} />
      <DocumentForm
        model={model}
        schema={schema}
        documentId={null}
        locale={locale}
        value={state.values}
        published={null}
        errors={state.errors}
        readOnly={false}
        onChange={draft.change}
        related={related}
      />
      {panel}
      <Dialog
        open={isAsking}
        onOpenChange={setAsking}
        firstFocus={stay}
        title={t('relation.create.leave')}
        text={t('relation.create.leave.text')}
        actions={
          <>
            <Button look="danger" onClick={end}>
              {t('document.kept.throwAway')}
            </Button>
            <Button ref={stay} look="primary" onClick={() => setAsking(false)}>
              {t('relation.create.stay')}
            </Button>
          </>
        }
      />
    </SidePanel>
  );
}

/** Registers the shortcut for saving within the panel, because shortcuts work only in their layer. */
function SaveKey({ run }: { readonly run: () => void }): ReactNode {
  const t = useText();
  useKeys([{ keys: 'mod+s', label: t('relation.create.save'), group: t('document.keys'), run }]);
  return null;
}

function linkedOf({ uid, layout, draftAndPublish }: ContentType, server: DocumentAnswer): Linked {
  const { documentId, locale, draft, states } = server;
  const label = draft?.[layout.mainField];
  return {
    type: uid,
    id: Number(draft?.['id']),
    documentId: documentId!,
    locale,
    label: typeof label === 'string' && label !== '' ? label : null,
    state: draftAndPublish ? (states[locale ?? ''] ?? 'draft') : null,
  };
}
