/** The content type that code names to read rows or documents. */
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import { missingMember } from '../guarded.ts';
import { isOfReference } from '../members/members.ts';

/** @throws Error for an unknown uid, with an alternative; Unsupported for a type that only the reference has. */
export function namedType({ contentTypes, components }: Catalog, uid: string): ContentType {
  const type = contentTypes.get(uid);
  if (type) return type;
  if (components.has(uid)) {
    throw new Error(
      `Model ${uid} is a component, whose entries are read and written with the documents that have them: populate them, as in strapi.documents(uid).findMany({ populate: '*' })`,
    );
  }
  if (isOfReference(uid)) missingMember(`strapi.db.query('${uid}')`);
  throw new Error(`Model ${uid} not found: no content type has this uid`);
}
