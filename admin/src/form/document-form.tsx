/** The form of a document: every attribute with its control, in the arrangement of its model. */
import { type ReactNode, useMemo, useRef } from 'react';
import { Fields } from './fields.tsx';
import { type FormHost, HostProvider, type Related } from './host.ts';
import { type FormServices, serverServices } from './services.ts';
import type { Model, Path, Schema, Values } from './values/model.ts';
import { anchorOf, pathOf, valueAt } from './values/path.ts';
import type { Finding } from './values/problems.ts';

export interface DocumentFormProps {
  readonly model: Model;
  readonly schema: Schema;
  /** Null: the server does not have the document yet. */
  readonly documentId: string | null;
  /** Null where the type has no locales. */
  readonly locale: string | null;
  /** As the server tells them (`withCounts`), or as they are now. */
  readonly value: Values;
  /** What is on the site; null where nothing is, or where nothing can differ from it. */
  readonly published: Values | null;
  /** What is to be mended. Told at a field until its value changes. */
  readonly errors: readonly Finding[];
  /** What else stands against publishing. Said quietly at a field until its value changes. */
  readonly advice?: readonly Finding[];
  readonly readOnly: boolean;
  /** As in `FormHost`. */
  readonly isOpening?: boolean;
  /** Called with the whole value at a path; `withValue` puts it in its place. `undefined` takes it away. */
  readonly onChange: (path: Path, value: unknown) => void;
  readonly services?: FormServices;
  readonly related?: Related | undefined;
  /** See `Fields`. */
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
  isLevel,
}: DocumentFormProps): ReactNode {
  // fields are drawn again when their own value changes, and not because these are new
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
      change: (path, next) => latest.current.onChange(path, next),
      valueAt: (path) => valueAt(latest.current.value, path),
      follow: (path) => {
        const anchor = anchorOf(latest.current.value, path);
        return () => pathOf(latest.current.value, anchor);
      },
    }),
    [schema, model, documentId, locale, readOnly, isOpening, errors, advice, services, related],
  );
  return (
    <HostProvider value={host}>
      <Fields model={model} path={TOP} values={value} published={published ?? undefined} isLevel={isLevel} />
    </HostProvider>
  );
}

const TOP: Path = [];
const NONE: readonly Finding[] = [];
