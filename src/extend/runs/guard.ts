/**
 * Whether code of a project stands before a read: it is asked by requests alone, so whoever would tell of documents in
 * another way, as a stream does, must not go round it.
 */
import type { ContentType } from '../../schema/catalog.ts';

/** An action that reads documents. */
export type ReadAction = 'find' | 'findOne';

export type IsGuarded = (type: ContentType, action: ReadAction) => boolean;

export interface GuardParts {
  /** Policies of `src/galley`, by action; undefined where there are none. */
  readonly policies: { has(action: string): boolean } | undefined;
  /** Whether code of a Strapi project answers a core action, or stands around every request. */
  readonly standsBefore: IsGuarded | undefined;
  /** Actions that `config/galley` says are safe without that code. */
  readonly serve: readonly string[];
}

/** A policy always counts: it is written for that very action. */
export function guardOf({ policies, standsBefore, serve }: GuardParts): IsGuarded {
  return (type, action) => {
    const name = `${type.uid}.${action}`;
    if (policies?.has(name)) return true;
    return !serve.includes(name) && (standsBefore?.(type, action) ?? false);
  };
}
