/** The failures of bulk actions: documents and reasons. */
import { useMemo } from 'react';
import type { Outcome } from '../../../contract/lists.ts';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import { type FieldError, refusedError, request } from '../../data/client.ts';
import { fieldName } from '../../form/values/field-name.ts';
import { documentName, namedBy } from '../../language/document-name.ts';
import { useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { failureText, refusalText } from '../../language/refusal-text.ts';

/** The number of documents that are named. */
const NAMED = 100;

export interface Refused {
  /** The action and its time, if the user has not seen it. */
  readonly asked?: { readonly text: string; readonly at: string };
  readonly documents: readonly {
    readonly documentId: string;
    readonly name: string;
    readonly reasons: readonly string[];
  }[];
  /** The number of other failures. */
  readonly more: number;
}

interface BulkOutcomes {
  /** Undefined if the administrator may not see the type any more. */
  readonly type: ContentType | undefined;
  readonly locale: string | undefined;
  readonly outcomes: readonly Outcome[];
  /** The name of a document, if it is loaded. */
  readonly nameOf?: (documentId: string) => string | undefined;
}

/**
 * Returns a function that collects the failures of outcomes. It requests the names of documents that are not loaded.
 */
export function useRefused(schema: Schema | undefined): (outcomes: BulkOutcomes) => Promise<Refused> {
  const t = useText();
  return useMemo(
    () =>
      async ({ type, locale, outcomes, nameOf = () => undefined }) => {
        const failed = outcomes.flatMap(({ documentId, error }) => (error ? [{ documentId, error }] : []));
        const first = failed.slice(0, NAMED);
        const ids = first.map(({ documentId }) => documentId);
        const names = new Map(
          ids.flatMap((id) => [[id, nameOf(id)] as const]).filter(([, name]) => name !== undefined),
        );
        const unknown = ids.filter((id) => !names.has(id));
        if (type && unknown.length > 0) {
          for (const [id, name] of await namesOf(t, type, unknown, locale)) names.set(id, name);
        }
        const documents = first.map(({ documentId, error }) => ({
          documentId,
          name: names.get(documentId) ?? documentName(t, { documentId, label: null }),
          reasons: reasonsOf(t, schema, type, error),
        }));
        return { documents, more: failed.length - first.length };
      },
    [t, schema],
  );
}

/** Why an action has failed for a document: errors of fields, or else the error of the request. */
function reasonsOf(
  t: Text,
  schema: Schema | undefined,
  type: ContentType | undefined,
  error: NonNullable<Outcome['error']>,
): readonly string[] {
  const fields = (error.errors as readonly FieldError[]).filter(({ path }) => path.length > 0);
  if (fields.length === 0) return [failureText(t, refusedError(error))];
  return fields.map((field) => {
    const name = schema && type ? fieldName(schema, type, field.path) : field.path.join('.');
    return `${name}: ${refusalText(t, field)}`;
  });
}

async function namesOf(
  t: Text,
  { uid, layout: { mainField } }: ContentType,
  ids: readonly string[],
  locale: string | undefined,
): Promise<readonly (readonly [string, string])[]> {
  const query = new URLSearchParams({ fields: mainField, 'pagination[pageSize]': String(NAMED) });
  if (locale !== undefined) query.set('locale', locale);
  for (const [index, id] of ids.entries()) query.set(`filters[documentId][$in][${index}]`, id);
  const found = await request('GET content/:uid', { params: { uid }, query }).catch(() => undefined);
  return (found?.data ?? []).map((row) => [row.documentId, documentName(t, namedBy(mainField, row))] as const);
}
