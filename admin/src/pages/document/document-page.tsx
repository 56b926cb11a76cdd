/** The page of a document: loads it, and handles missing documents and versions. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo, useRef } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { Missing } from '../../app/not-found.tsx';
import { RefusedError } from '../../data/client.ts';
import { defaultLocale, mayInLocale, schemaFor } from '../../data/locales.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useSession } from '../../data/session.ts';
import { type StoredUnsaved, storedUnsavedOf } from '../../data/unsaved.ts';
import { Skeleton } from '../../ui/bits.tsx';
import styles from './document.module.css';
import { documentQuery, NEW, SINGLE } from './document-query.ts';
import type { Draft } from './draft.ts';
import { Editor } from './editor.tsx';
import { MissingVersion } from './missing-version.tsx';
import { nothingYet } from './new-document.ts';
import { unsavedPlace } from './use-draft.ts';

export function DocumentPage(): ReactNode {
  const { uid, documentId } = useParams({ from: '/inside/content/$uid/$documentId' });
  const { locale } = useSearch({ from: '/inside/content/$uid/$documentId' });
  const { data: whole } = useQuery(schemaQuery);
  const { rights } = useSession();
  const model = whole?.contentTypes.find((type) => type.uid === uid);
  const schema = useMemo(() => whole && model && schemaFor(whole, model, rights), [whole, model, rights]);
  const navigate = useNavigate();
  // A document that is created while it is edited stays on the page under its new address.
  const opened = useRef({ documentId, key: documentId });
  if (opened.current.documentId !== documentId) opened.current = { documentId, key: documentId };
  if (!whole) return <Waiting />;
  if (!model || !schema) return <Missing />;
  const suits = (code: string) => documentId !== NEW || mayInLocale(rights, 'create', model, code);
  const code = model.localized ? (locale ?? defaultLocale(schema, suits) ?? null) : null;
  const { key } = opened.current;
  return (
    <Opened
      key={`${uid} ${key} ${code}`}
      schema={schema}
      model={model}
      documentId={documentId}
      isNew={key === NEW}
      locale={code}
      onCreated={(created) => {
        if (model.kind === 'singleType') return;
        opened.current = { documentId: created, key };
        void navigate({
          to: '/content/$uid/$documentId',
          params: { uid, documentId: created },
          search: (before) => before,
          replace: true,
        });
      }}
    />
  );
}

interface OpenedProps {
  readonly schema: Schema;
  readonly model: ContentType;
  readonly documentId: string;
  readonly isNew: boolean;
  readonly locale: string | null;
  readonly onCreated: (documentId: string) => void;
}

function Opened({ schema, model, documentId, isNew, locale, onCreated }: OpenedProps): ReactNode {
  const named = model.kind === 'singleType' ? SINGLE : documentId;
  const query = { ...documentQuery(model.uid, named, locale), enabled: documentId !== NEW };
  const { data, error, isFetching } = useQuery(query);
  const blank = useRef(nothingYet(locale));
  // A failed refetch does not hide the data, unless the document is gone or may no longer be read.
  const isRefused = error instanceof RefusedError && (!data || [403, 404].includes(error.status)) && !isNew;
  if (error && !isRefused && !data && !isNew) throw error;
  const server = data ?? (isNew ? blank.current : undefined);
  const isMissing = server?.draft === null && server.documentId !== null;
  const missing = isRefused
    ? { left: blank.current, isDeleted: error.status === 404, shown: <Missing /> }
    : isMissing && {
        left: server,
        isDeleted: true,
        shown: <MissingVersion schema={schema} model={model} server={server} />,
      };
  // If the document is deleted while it is open, the form stays.
  const opened = useRef<DocumentAnswer>(undefined);
  const draft = useRef<Draft>(undefined);
  const lost = useRef<StoredUnsaved>(undefined);
  const { id: user } = useSession().user;
  if (missing && !draft.current?.isAtRisk) {
    // Unsaved changes of a document that was deleted while it was closed are shown as well.
    const version = { ...missing.left, documentId: missing.left.documentId ?? documentId };
    const [kept] = missing.isDeleted ? storedUnsavedOf(unsavedPlace(user, model, version)) : [];
    if (!kept) return missing.shown;
    lost.current = kept;
    opened.current = { ...version, tag: kept.tag };
  }
  if (server && !missing) opened.current = server;
  if (!opened.current) return <Waiting />;
  return (
    <Editor
      key={lost.current ? 'lost' : 'found'}
      schema={schema}
      model={model}
      server={opened.current}
      left={missing ? missing.left : undefined}
      lost={lost.current}
      draftRef={draft}
      isAsking={isFetching}
      onCreated={onCreated}
    />
  );
}

/** A placeholder for a form that is loading. */
function Waiting(): ReactNode {
  return (
    <div className={styles['waiting']} aria-hidden="true">
      <Skeleton width="45%" height="34px" />
      <Skeleton width="90%" />
      <Skeleton width="80%" />
      <Skeleton width="85%" />
    </div>
  );
}
