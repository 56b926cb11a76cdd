/** Ids of documents that are made here, so that one whose answer was lost is not made twice. */

const CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 25;

/** A new id, in the form that the server gives them. */
export function newDocumentId(): string {
  const random = crypto.getRandomValues(new Uint32Array(LENGTH));
  return Array.from(random, (number) => CHARACTERS[number % CHARACTERS.length]).join('');
}
