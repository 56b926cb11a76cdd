/** What the form has to ask somebody: what can be linked, and whether a uid is free. */
import type { Linked } from '../../contract/documents.ts';
import { request } from '../data/client.ts';

export interface LinkPage {
  readonly items: readonly Linked[];
  /** How many there are in all. */
  readonly total: number;
}

/** Where a question comes from: the type or component, and its attribute. */
interface Place {
  readonly uid: string;
  readonly attribute: string;
  readonly locale: string | null;
  readonly signal: AbortSignal;
}

export interface FormServices {
  /** What an attribute can link, by what is sought in it. `type` where it links any. */
  readonly linkable: (ask: Place & { readonly q: string; readonly type?: string }) => Promise<LinkPage>;
  /** A page of what an attribute of the document itself links; pages count from 1 and have `LINKED_AT_ONCE`. */
  readonly linked: (ask: Place & { readonly documentId: string; readonly page: number }) => Promise<LinkPage>;
  /** Whether a value is free; of an empty one, what would be made from `from`. */
  readonly uid: (
    ask: Place & { readonly documentId: string | null; readonly value: string; readonly from?: string },
  ) => Promise<{ readonly value: string; readonly free: boolean; readonly suggestion: string }>;
}

/** Links that are read with a document, and on a page of more. */
export const LINKED_AT_ONCE = 25;

/** Asks the server. */
export const serverServices: FormServices = {
  linkable: async ({ uid, attribute, locale, q, type, signal }) =>
    pageOf(
      await request('GET relations/:uid/:attribute', {
        params: { uid, attribute },
        query: { q, type, locale: locale ?? undefined },
        signal,
      }),
    ),
  linked: async ({ uid, attribute, locale, documentId, page, signal }) =>
    pageOf(
      await request('GET content/:uid/:documentId/relations/:attribute', {
        params: { uid, documentId, attribute },
        query: { page: String(page), pageSize: String(LINKED_AT_ONCE), locale: locale ?? undefined },
        signal,
      }),
    ),
  uid: async ({ uid, attribute, locale, documentId, value, from, signal }) => {
    const { data } = await request('GET uid/:uid/:attribute', {
      params: { uid, attribute },
      query: {
        value: value === '' && from !== undefined ? undefined : value,
        from,
        documentId: documentId ?? undefined,
        locale: locale ?? undefined,
      },
      signal,
    });
    return data;
  },
};

function pageOf(answer: {
  readonly data: readonly Linked[];
  readonly meta: { readonly pagination: { readonly total: number } };
}): LinkPage {
  return { items: answer.data, total: answer.meta.pagination.total };
}
