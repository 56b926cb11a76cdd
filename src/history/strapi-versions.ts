/**
 * Versions that the reference recorded in `strapi_history_versions`, of databases with that table. Each is the state
 * after an action, so when it was replaced is not recorded.
 */
import { personOfRow } from '../content/administration/form-values.ts';
import type { Queryable, Row } from '../db/interface/queryable.ts';
import { query } from '../db/interface/statements.ts';
import { notFound } from '../errors.ts';
import { isObject, textOrNull } from '../plain-values.ts';
import type { Page } from '../query/page.ts';
import type { Catalog, Model } from '../schema/catalog.ts';
import type { VersionScope } from '../sql/history.ts';
import { compileStrapiVersion, compileStrapiVersions } from '../sql/strapi-history.ts';
import type { Content, Version, VersionAddress, VersionWithContent } from './version.ts';

/** Before the ids of these versions. */
export const STRAPI_PREFIX = 'strapi-';

/**
 * Some versions of a document, the last one first.
 *
 * @param versions which versions, and the values of `compileStrapiVersions` for them.
 */
export async function listStrapiVersions(
  db: Queryable,
  { scope, values }: { readonly scope: VersionScope; readonly values: readonly string[] },
  { limit, offset }: Pick<Page, 'limit' | 'offset'>,
): Promise<readonly Version[]> {
  return (await query(db, compileStrapiVersions(db.dialect, scope), [...values, limit, offset])).map(versionOf);
}

/** @throws ContentError 404 for a version that does not exist. */
export async function readStrapiVersion(
  db: Queryable,
  catalog: Catalog,
  { uid, documentId, isSinceDeletion = false }: VersionAddress,
  id: number,
): Promise<VersionWithContent> {
  const statement = compileStrapiVersion(db.dialect, isSinceDeletion);
  const [row] = await query(db, statement, [documentId, uid, id]);
  const model = catalog.contentTypes.get(uid);
  if (!row || !model) throw notFound();
  const [data, schema] = row.slice(-2).map((text) => (text === null ? {} : (JSON.parse(String(text)) as unknown)));
  const content = isObject(data) ? contentOf(catalog, model, data, isObject(schema) ? schema : {}) : {};
  return { version: versionOf(row), content };
}

function versionOf([id, status, locale, createdAt, ...administrator]: Row): Version {
  const author = personOfRow(administrator);
  return {
    id: `${STRAPI_PREFIX}${id}`,
    // the reference records drafts, and calls those that equal the published version `published`
    status: status === 'published' ? 'published' : 'draft',
    locale: textOrNull(locale),
    savedAt: new Date(Number(createdAt ?? 0)).toISOString(),
    savedBy: author && { kind: 'administrator', ...author },
    ...{ replacedAt: null, replacedBy: null, reason: null },
  };
}

/** How a value was stored: the attribute of then or of now. */
interface StoredAs {
  readonly type: string;
  readonly component?: string | undefined;
}

/**
 * The content in the form in which Galley records it.
 *
 * @param schema the attributes of the document when it was recorded; those of components are not recorded.
 */
function contentOf(catalog: Catalog, model: Model, data: Content, schema: Content = {}): Content {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const former = schema[name];
      const attribute = isObject(former) ? (former as unknown as StoredAs) : model.attributes.get(name);
      return [name, attribute ? storedValue(catalog, attribute, value) : value];
    }),
  );
}

function storedValue(catalog: Catalog, { type, component }: StoredAs, value: unknown): unknown {
  const each = (convert: (entry: Content) => unknown): unknown =>
    Array.isArray(value) ? value.filter(isObject).map(convert) : isObject(value) ? convert(value) : value;
  const inside = (uid: unknown) => (entry: Content) => {
    const model = catalog.components.get(String(uid));
    return model ? contentOf(catalog, model, entry) : entry;
  };
  switch (type) {
    case 'relation': {
      const links = each(linkOf);
      // a list may contain the draft and the published row of a document
      return Array.isArray(links)
        ? [...new Map(links.map((link) => [JSON.stringify(link), link as unknown])).values()]
        : links;
    }
    case 'media':
      return each(({ id, name = null }) => ({ id, name }));
    case 'component':
      return each(inside(component));
    case 'dynamiczone':
      return each((entry) => inside(entry['__component'])(entry));
    default:
      return value;
  }
}

function linkOf({ documentId, locale, __type: type }: Content): Content {
  return {
    documentId,
    ...(typeof locale === 'string' ? { locale } : {}),
    ...(type === undefined ? {} : { __type: type }),
  };
}
