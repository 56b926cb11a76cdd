/** The initial state of a document that does not exist yet. */
import type { DocumentAnswer } from '../../../contract/documents.ts';

/** The answer for a document that does not exist. */
export function nothingYet(locale: string | null): DocumentAnswer {
  const uncounted = { counts: {}, draftCounts: {}, publishedCounts: {} };
  const none = { documentId: null, tag: null, draft: null, published: null, states: {}, ...uncounted };
  const may = { update: false, delete: false, deleteAll: false, publish: false };
  return { ...none, locale, may, createdBy: null, updatedBy: null, isThroughApi: false };
}

const CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 25;

/** A document id in the format of the server. */
export function newDocumentId(): string {
  const random = crypto.getRandomValues(new Uint32Array(LENGTH));
  return Array.from(random, (number) => CHARACTERS[number % CHARACTERS.length]).join('');
}
