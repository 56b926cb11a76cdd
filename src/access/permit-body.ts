/** WrittenData × Catalog → PermittedWrite: every key is one that the caller may write. */
import { type ContentError, invalidKey, validation } from '../errors.ts';
import type { WrittenData } from '../query/body.ts';
import type { ContentType, ScalarAttribute } from '../schema/catalog.ts';
import { nearest } from '../schema/nearest.ts';
import { isScalar, visibleNames } from './fields.ts';

declare const permitted: unique symbol;

export interface PermittedWrite {
  readonly [permitted]: true;
  readonly type: ContentType;
  readonly values: readonly { readonly attribute: ScalarAttribute; readonly value: unknown }[];
}

/** Accepted and without effect (behaviour-publication-locales.md, "Rows"). */
const IGNORED: ReadonlySet<string> = new Set(['publishedAt', 'locale']);
/** Told without a path. */
const IDENTITY: ReadonlySet<string> = new Set(['id', 'documentId']);
/** Told with themselves as path. */
const SYSTEM: ReadonlySet<string> = new Set(['createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'localizations']);

/**
 * Checks the keys of a write. Private attributes and passwords are writable.
 *
 * @throws ContentError 400 invalid key.
 */
export function permitBody(type: ContentType, data: WrittenData): PermittedWrite {
  const values: { attribute: ScalarAttribute; value: unknown }[] = [];
  for (const [key, value] of Object.entries(data)) {
    const attribute = type.attributes.get(key);
    if (!attribute) {
      if (IGNORED.has(key)) continue;
      throw refuseKey(type, key);
    }
    if (!isScalar(attribute))
      throw validation(`${key} cannot be written: relations, media, components and zones are read-only`);
    values.push({ attribute, value });
  }
  return { type, values } as unknown as PermittedWrite;
}

function refuseKey(type: ContentType, key: string): ContentError {
  const path = IDENTITY.has(key) ? undefined : SYSTEM.has(key) ? key : null;
  return invalidKey({ key, path, source: 'body', nearest: nearest(key, visibleNames(type)) });
}
