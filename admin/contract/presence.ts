/** Who else has a document open. */
import { person } from './documents.ts';
import { list, object, optional, text } from './shape.ts';

export const PRESENCE_REQUESTS = {
  /**
   * Says that the administrator has the version in a locale open, and tells who else does. It counts for 45 seconds: to be
   * sent when the document is opened and every 20 seconds for as long as it is. A version that is not there, or not shown,
   * has nobody.
   */
  'POST content/:uid/:documentId/presence': {
    body: object({ locale: optional(text) }),
    answer: object({ data: object({ others: list(person) }) }),
  },
} as const;
