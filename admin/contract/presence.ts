/** Who else has a document open, and whether it still is what is open. */
import { documentState, person } from './documents.ts';
import { type Infer, list, moment, nullable, object, optional, recordOf, text } from './shape.ts';

export const presence = object({
  others: list(person),
  /** As those of the document. */
  states: recordOf(documentState),
  /** `updatedAt` of the version's `draft` and `published`; null where there is no version in this locale. */
  savedAt: nullable(object({ draft: nullable(moment), published: nullable(moment) })),
});

export const PRESENCE_REQUESTS = {
  /**
   * Says that the administrator has the version in a locale open, and tells who else does, and when it was saved last: the
   * document need be asked for only where that is another time. It counts for 45 seconds: to be sent when the document is
   * opened and every 10 seconds for as long as it is. A version that is not there, or not shown, has nobody.
   */
  'POST content/:uid/:documentId/presence': {
    body: object({ locale: optional(text) }),
    answer: object({ data: presence }),
  },
} as const;

export type PresenceAnswer = Infer<typeof presence>;
