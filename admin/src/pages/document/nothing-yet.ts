/** What there is of a document before anybody has written it. */
import type { DocumentAnswer } from '../../../contract/documents.ts';

/** A document that nobody has written yet. */
export function nothingYet(locale: string | null): DocumentAnswer {
  const uncounted = { counts: {}, draftCounts: {}, publishedCounts: {} };
  const none = { documentId: null, tag: null, draft: null, published: null, states: {}, ...uncounted };
  const may = { update: false, delete: false, deleteAll: false, publish: false };
  return { ...none, locale, may, createdBy: null, updatedBy: null, isThroughApi: false };
}
