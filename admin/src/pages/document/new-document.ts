/** What there is of a document before anybody has written it. */
import type { DocumentAnswer } from '../../../contract/documents.ts';

/** A document that nobody has written yet. */
export function nothingYet(locale: string | null): DocumentAnswer {
  const uncounted = { counts: {}, draftCounts: {}, publishedCounts: {} };
  const none = { documentId: null, tag: null, draft: null, published: null, states: {}, ...uncounted };
  const may = { update: false, delete: false, deleteAll: false, publish: false };
  return { ...none, locale, may, createdBy: null, updatedBy: null, isThroughApi: false };
}

const CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 25;

/** A new id, in the form that the server gives them. */
export function newDocumentId(): string {
  const random = crypto.getRandomValues(new Uint32Array(LENGTH));
  return Array.from(random, (number) => CHARACTERS[number % CHARACTERS.length]).join('');
}
