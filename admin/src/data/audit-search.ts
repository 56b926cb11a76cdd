/** The filters of the audit log in its address. Invalid values are ignored. */

export interface AuditSearch {
  readonly actor?: string | undefined;
  readonly type?: string | undefined;
  readonly action?: string | undefined;
  /** The first and the last day: `2026-11-29`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const KEYS = ['actor', 'type', 'action', 'from', 'to'] as const;

/** Reads the state from the address. Every key is present, because the router keeps the previous value of an absent one. */
export function auditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  return Object.fromEntries(
    KEYS.map((key) => {
      const value = search[key];
      const isDay = key !== 'from' && key !== 'to' ? true : Number.isFinite(Date.parse(`${value}T00:00`));
      return [key, typeof value === 'string' && value !== '' && isDay ? value : undefined];
    }),
  );
}
