/** The form of a document: the controls of all attributes, in the layout of its type. */
import { type ReactNode, useMemo, useRef } from 'react';
import { Fields } from './fields.tsx';
import { type FieldComments, type FormHost, HostProvider, type Related } from './host.ts';
import { type FormServices, serverServices } from './services.ts';
import type { Model, Path, Schema, Values } from './values/model.ts';
import { anchorOf, pathOf, valueAt } from './values/path.ts';
import type { Finding } from './values/problems.ts';

export interface DocumentFormProps {
  readonly model: Model;
  readonly schema: Schema;
  /** Null if the server does not have the document yet. */
  readonly documentId: string | null;
  /** Null if the type has no locales. */
  readonly locale: string | null;
  /** The values from the server (`withCounts`), or as they are now. */
  readonly value: Values;
  /** The published version; null if there is none, or if the draft cannot differ from it. */
  readonly published: Values | null;
  /** Errors that prevent saving. Each is shown until the value of its field changes. */
  readonly errors: readonly Finding[];
  /** Errors that only prevent publishing. Each is shown discreetly until the value of its field changes. */
  readonly advice?: readonly Finding[];
  readonly readOnly: boolean;
  /** As in `FormHost`. */
  readonly isOpening?: boolean;
  /** Called with the new value at a path, for `withValue`. `undefined` removes it. */
  readonly onChange: (path: Path, value: unknown) => void;
  readonly services?: FormServices;
  readonly related?: Related | undefined;
  readonly comments?: FieldComments | undefined;
  /** As in `Fields`. */
  readonly isLevel?: boolean;
}

export function DocumentForm({
  model,
  schema,
  documentId,
  locale,
  value,
  published,
  errors,
  advice = NONE,
  readOnly,
  isOpening = false,
  onChange,
  services = serverServices,
  related,
  comments,
  isLevel,
}: DocumentFormProps): ReactNode {
  // A field is rendered again when its value changes, but not for new callbacks.
  const latest = useRef({ value, onChange });
  latest.current = { value, onChange };
  const host = useMemo<FormHost>(
    () => ({
      schema,
      model,
      documentId,
      locale,
      readOnly,
      isOpening,
      errors,
      advice,
      services,
      related,
      comments,
      change: (path, next) => latest.current.onChange(path, next),
      valueAt: (path) => valueAt(latest.current.value, path),
      follow: (path) => {
        const anchor = anchorOf(latest.current.value, path);
        return () => pathOf(latest.current.value, anchor);
      },
    }),
    [schema, model, documentId, locale, readOnly, isOpening, errors, advice, services, related, comments],
  );
  return (
    <HostProvider value={host}>
      <Fields model={model} path={TOP} values={value} published={published ?? undefined} isLevel={isLevel} />
    </HostProvider>
  );
}

const TOP: Path = [];
const NONE: readonly Finding[] = [];
