/** The other editors of a document, and whether it has changed. */
import { documentState, person } from './documents.ts';
import { type Infer, list, moment, nullable, object, optional, recordOf, text } from './shape.ts';

export const presence = object({
  others: list(person),
  /** As in the document. */
  states: recordOf(documentState),
  /** `updatedAt` of `draft` and `published`; null if there is no version in this locale. */
  savedAt: nullable(object({ draft: nullable(moment), published: nullable(moment) })),
});

export const PRESENCE_REQUESTS = {
  /**
   * Reports that the administrator has the version open. Returns who else has it open, and when it was last saved, so
   * that the document has to be read only if that has changed. A report is valid for 45 seconds; it is sent when the
   * document is opened, and every 10 seconds while it is open. A version that does not exist, or is hidden, has no
   * editors.
   */
  'POST content/:uid/:documentId/presence': {
    body: object({ locale: optional(text) }),
    answer: object({ data: presence }),
  },
} as const;

export type PresenceAnswer = Infer<typeof presence>;
