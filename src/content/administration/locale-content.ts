/** The content of locales: untranslated documents, and removing a locale together with its content. */
import type { Viewer } from '../../access/view.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Queryable } from '../../db/interface/queryable.ts';
import { query } from '../../db/interface/statements.ts';
import { refusal } from '../../errors.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import {
  compileCountByLocale,
  compileCountDocuments,
  compileCountOnlyInLocale,
  compileDocumentsInLocale,
} from '../../sql/locales.ts';
import type { DocumentWriter } from '../documents/writer.ts';
import { documentsIn } from '../locales/locales.ts';

export interface LocaleContentContext {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly database: Database;
}

/** Types that are counted. */
const MOST_TYPES = 200;
/** Rows of a table up to which its documents are counted. */
const COUNTED = 200_000;
/** Documents that are read at once, and milliseconds after which one call of `removeContent` begins no other. */
const BATCH = 50;
const LONGEST = 500;

/** How many documents of a type have versions in which locales. */
export interface Translated {
  readonly type: ContentType;
  /** Null if counting would take long. */
  readonly documents: number | null;
  /** The number of documents by locale; locales without any are left out. */
  readonly inLocale: ReadonlyMap<string, number>;
}

/**
 * How far the documents of each localized type are translated. Types of which the viewer sees only some documents are
 * left out.
 */
export async function translatedTypes(
  { catalog, layout, database }: LocaleContentContext,
  { view }: Viewer,
): Promise<Translated[]> {
  const translated: Translated[] = [];
  const isShown = (type: ContentType) => view.may(`${type.uid}.find`) && view.of(type).rows === undefined;
  for (const type of localizedTypes(catalog).filter(isShown).slice(0, MOST_TYPES)) {
    const { table } = layoutOf(layout, type.uid);
    if ((database.rowsOf(table) ?? 0) > COUNTED) {
      translated.push({ type, documents: null, inLocale: new Map() });
      continue;
    }
    const [counted] = await query(database, compileCountDocuments(table), []);
    const rows = await query(database, compileCountByLocale(table), []);
    const inLocale = new Map(rows.map(([code, count]) => [String(code), Number(count)]));
    translated.push({ type, documents: Number(counted![0]), inLocale });
  }
  return translated;
}

/** What the removal of a locale deletes of a type. */
export interface LocaleContent {
  readonly type: ContentType;
  /** Documents with a version in the locale. */
  readonly documents: number;
  /** Those of them that have no version in another locale, and are deleted as a whole. */
  readonly only: number;
}

/** The content that the removal of a locale deletes; types without any are left out. */
export async function contentOfLocale(
  db: Queryable,
  { catalog, layout }: Pick<LocaleContentContext, 'catalog' | 'layout'>,
  code: string,
): Promise<LocaleContent[]> {
  const content: LocaleContent[] = [];
  for (const { uid, count } of await documentsIn(db, catalog, layout, code)) {
    const [counted] = await query(db, compileCountOnlyInLocale(layoutOf(layout, uid).table), [code]);
    content.push({ type: catalog.contentTypes.get(uid)!, documents: count, only: Number(counted![0]) });
  }
  return content;
}

/** Types that have content in a locale. */
export async function typesInLocale(
  db: Queryable,
  { catalog, layout }: Pick<LocaleContentContext, 'catalog' | 'layout'>,
  code: string,
): Promise<ContentType[]> {
  const types: ContentType[] = [];
  for (const type of localizedTypes(catalog)) {
    const rows = await query(db, compileDocumentsInLocale(layoutOf(layout, type.uid).table, 1), [code]);
    if (rows.length > 0) types.push(type);
  }
  return types;
}

/**
 * Deletes the versions of some documents in a locale, each in its own transaction, as the reference does before it
 * removes a locale. It is called again until no versions remain, so that other requests do not wait.
 *
 * @param writerOf the writer of a type, with project code around it where any runs.
 * @param viewer has all rights: the right to remove locales includes their content.
 * @returns the number of documents, and whether versions remain.
 * @throws ContentError with which project code refuses a deletion, and 400 if it prevents one silently.
 */
export async function removeContent(
  { catalog, layout, database }: LocaleContentContext,
  writerOf: (type: ContentType) => Pick<DocumentWriter, 'delete'>,
  viewer: Viewer,
  code: string,
): Promise<{ readonly removed: number; readonly isLeft: boolean }> {
  const end = performance.now() + LONGEST;
  let removed = 0;
  for (const type of localizedTypes(catalog)) {
    const statement = compileDocumentsInLocale(layoutOf(layout, type.uid).table, BATCH);
    let before: readonly string[] = [];
    for (;;) {
      const ids = (await query(database, statement, [code])).map(([documentId]) => String(documentId));
      if (ids.some((documentId) => before.includes(documentId))) {
        throw refusal(`Project code keeps documents of ${type.uid} in ${code}`);
      }
      if (ids.length === 0) break;
      for (const documentId of ids) {
        if (performance.now() > end) return { removed, isLeft: true };
        await writerOf(type).delete({ type, viewer, documentId, locales: [code] });
        removed++;
      }
      before = ids;
    }
  }
  return { removed, isLeft: false };
}

const localizedTypes = ({ contentTypes }: Catalog): readonly ContentType[] =>
  [...contentTypes.values()].filter(({ localized }) => localized);
