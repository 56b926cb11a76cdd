/** The content type that code names where it asks for rows or documents. */
import type { Catalog, ContentType } from '../../../schema/catalog.ts';

/** What the reference keeps in tables without a content type, and what is here in their place. */
const INSTEAD: Readonly<Record<string, string>> = {
  'strapi::core-store': 'its entries are at strapi.store({ type, name, key }), with get, set and delete',
  'strapi::webhook': "webhooks are at strapi.get('webhookStore'), with findWebhooks, createWebhook and others",
};

/** @throws Error for a uid that no content type has, which says what to ask in its place. */
export function namedType({ contentTypes, components }: Catalog, uid: string): ContentType {
  const type = contentTypes.get(uid);
  if (type) return type;
  if (components.has(uid)) {
    throw new Error(
      `Model ${uid} is a component, whose entries are read and written with the documents that have them: populate them, as in strapi.documents(uid).findMany({ populate: '*' })`,
    );
  }
  throw new Error(`Model ${uid} not found: ${INSTEAD[uid] ?? 'no content type has this uid'}`);
}
