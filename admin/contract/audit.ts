/** Requests for the log of actions. The export (`GET audit/export`) is a download of lines of JSON. */
import { anything, type Infer, list, moment, nullable, number, object, oneOf, recordOf, text } from './shape.ts';

export const auditEntry = object({
  id: number,
  at: moment,
  /** Such as `entry.update`. */
  action: text,
  actor: object({
    kind: oneOf('administrator', 'token', 'user', 'public', 'code', 'command', 'server'),
    /** The row id of an administrator, token or site user. */
    id: nullable(number),
    name: nullable(text),
  }),
  address: nullable(text),
  /**
   * The uid of a type, or another kind of thing: `settings`. The name of a document without a title is empty; that of one
   * which is hidden or does not exist any more is null.
   */
  subject: nullable(object({ type: text, id: nullable(text), name: nullable(text) })),
  /** Names and numbers: `fields`, `locales`, `count`, `granted`, … */
  details: recordOf(anything),
});

export const AUDIT_REQUESTS = {
  /**
   * The newest first. Takes `actor`, `type`, `action`, `from`, `to`, and `cursor`, the `next` of the previous page. A page
   * may have few entries although another one follows.
   */
  'GET audit': { answer: object({ data: list(auditEntry), meta: object({ next: nullable(text) }) }) },
  /** The values by which the log can be filtered. */
  'GET audit/filters': {
    answer: object({
      data: object({
        /** For how long entries are stored; null if nothing is recorded. */
        days: nullable(number),
        actors: list(object({ value: text, name: nullable(text) })),
        types: list(text),
        actions: list(text),
      }),
    }),
  },
} as const;

export type AuditEntry = Infer<typeof auditEntry>;
export type AuditFilters = Infer<(typeof AUDIT_REQUESTS)['GET audit/filters']['answer']>['data'];
