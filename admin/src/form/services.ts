/** The requests of the form: which documents can be linked, and whether a uid is available. */
import type { Choice, Linked } from '../../contract/documents.ts';
import { request } from '../data/client.ts';

export interface LinkPage<Link extends Linked = Linked> {
  readonly items: readonly Link[];
  /** The total number. */
  readonly total: number;
}

/** The origin of a request: the type or component, and its attribute. */
interface Place {
  readonly uid: string;
  readonly attribute: string;
  readonly locale: string | null;
  readonly signal: AbortSignal;
}

export interface FormServices {
  /**
   * A page of the documents that an attribute can link, from 1 on, by search text. `type` is for attributes that link
   * any type.
   */
  readonly linkable: (
    ask: Place & { readonly q: string; readonly page: number; readonly type?: string },
  ) => Promise<LinkPage<Choice>>;
  /** A page of the documents that an attribute of the document links, from 1 on, with `MORE_AT_ONCE` entries. */
  readonly linked: (ask: Place & { readonly documentId: string; readonly page: number }) => Promise<LinkPage>;
  /** Whether a value is available. For an empty value, returns the one generated from `from`. */
  readonly uid: (
    ask: Place & { readonly documentId: string | null; readonly value: string; readonly from?: string },
  ) => Promise<{ readonly value: string; readonly free: boolean; readonly suggestion: string | null }>;
}

/** The page size of links that are not loaded with the document. */
export const MORE_AT_ONCE = 100;

/** Sends the requests to the server. */
export const serverServices: FormServices = {
  linkable: async ({ uid, attribute, locale, q, page, type, signal }) =>
    pageOf(
      await request('GET relations/:uid/:attribute', {
        params: { uid, attribute },
        query: { q, page: String(page), type, locale: locale ?? undefined },
        signal,
      }),
    ),
  linked: async ({ uid, attribute, locale, documentId, page, signal }) =>
    pageOf(
      await request('GET content/:uid/:documentId/relations/:attribute', {
        params: { uid, documentId, attribute },
        query: { page: String(page), pageSize: String(MORE_AT_ONCE), locale: locale ?? undefined },
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

function pageOf<Link extends Linked>(answer: {
  readonly data: readonly Link[];
  readonly meta: { readonly pagination: { readonly total: number } };
}): LinkPage<Link> {
  return { items: answer.data, total: answer.meta.pagination.total };
}
