/** Which documents show files: in an attribute of their own, or in components, however deep. */
import type { Viewer } from '../../access/view.ts';
import { labelOf } from '../../content/administration/form-values.ts';
import type { ReadContext } from '../../content/writing/write-context.ts';
import type { Row } from '../../db/queryable.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { FILES_RELATED_TABLE, layoutOf } from '../../schema/layout/layout.ts';
import { compileUsesBelow, compileUsesOf } from '../../sql/files.ts';
import type { MediaContext } from '../media-context.ts';
import type { Chosen } from './bodies.ts';
import { readFolders } from './folder-rows.ts';
import { countBelow, pathColumn, pathValues, topmost } from './removal.ts';

/** A document that shows a file, in one locale. */
export interface Use {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly label: string | null;
  readonly state: 'draft' | 'modified' | 'published';
}

export interface Uses {
  readonly data: readonly Use[];
  readonly meta: {
    /** Documents that the reader is not shown. */
    readonly hidden: number;
    /** Whether there are more than were looked at. */
    readonly more: boolean;
    /** What the files and folders come to. */
    readonly files: number;
    readonly folders: number;
  };
}

/** Rows with a file that are looked at. */
const ROWS = 500;
/** Documents that are told. */
const TOLD = 100;
/** Components within components that are gone up through. */
const LEVELS = 20;
/** What names a document, the first that its type has. */
const NAMES = ['title', 'name', 'label', 'heading', 'headline', 'slug'];
const TEXTS: ReadonlySet<string> = new Set(['string', 'text', 'uid', 'email']);

/** Ids of rows by the uid of their model. */
type Places = ReadonlyMap<string, ReadonlySet<number>>;

/**
 * The documents that show some of the files, those in the folders and below with them.
 *
 * @param viewer who reads documents: what it does not show is only counted.
 */
export async function usesOf(context: MediaContext, { files, folders }: Chosen, viewer: Viewer): Promise<Uses> {
  const read = context.writer.reading(context.database);
  const paths = topmost((await readFolders(read, folders)).map(({ path }) => path));
  const found = [...(await rowsWith(read, files)), ...(await rowsBelow(read, paths))];
  const places = await documentRows(read, placesOf(found.slice(0, ROWS)));
  const told: Use[] = [];
  let hidden = 0;
  for (const [uid, ids] of places) {
    const type = read.catalog.contentTypes.get(uid);
    if (!type) continue;
    const shown = await shownUses(context, type, [...ids], viewer);
    told.push(...shown.uses);
    hidden += await countOthers(read, type, [...ids], shown.ids);
  }
  return {
    data: told.slice(0, TOLD),
    meta: {
      hidden,
      more: found.length > ROWS || told.length > TOLD,
      files: files.length + (await countBelow(read, paths)),
      folders: folders.length,
    },
  };
}

async function rowsWith({ tables }: ReadContext, files: readonly number[]): Promise<Row[]> {
  if (files.length === 0) return [];
  const key = `uses of ${files.length}`;
  return tables.run(key, [...files, ROWS + 1], () => compileUsesOf(FILES_RELATED_TABLE, files.length));
}

async function rowsBelow(context: ReadContext, paths: readonly string[]): Promise<Row[]> {
  const place = pathColumn(context);
  if (!place || paths.length === 0) return [];
  const { table, column } = place;
  return context.tables.run(`uses below ${table} ${paths.length}`, [...pathValues(paths), ROWS + 1], () =>
    compileUsesBelow(context.tables.dialect, FILES_RELATED_TABLE, table, column, paths.length),
  );
}

function placesOf(rows: readonly Row[]): Map<string, Set<number>> {
  const places = new Map<string, Set<number>>();
  for (const [uid, id] of rows) add(places, String(uid), [Number(id)]);
  return places;
}

function add(places: Map<string, Set<number>>, uid: string, ids: readonly number[]): void {
  const known = places.get(uid) ?? new Set();
  for (const id of ids) known.add(id);
  if (known.size > 0) places.set(uid, known);
}

/** From rows of any model to those of the documents that they are part of. */
async function documentRows(context: ReadContext, start: Places): Promise<Places> {
  const documents = new Map<string, Set<number>>();
  let level: Places = start;
  for (let depth = 0; level.size > 0 && depth < LEVELS; depth++) {
    const above = new Map<string, Set<number>>();
    for (const [uid, ids] of level) {
      if (context.catalog.contentTypes.has(uid)) add(documents, uid, [...ids]);
      else for (const [holder, rows] of await holdersOf(context, uid, [...ids])) add(above, holder, rows);
    }
    level = above;
  }
  return documents;
}

/** The rows that components are directly in. */
async function holdersOf(
  { plans, layout, tables }: ReadContext,
  component: string,
  ids: readonly number[],
): Promise<[string, number[]][]> {
  const found: [string, number[]][] = [];
  for (const { uid } of plans.index.holders(component)) {
    const { componentsTable } = layoutOf(layout, uid);
    if (componentsTable === undefined) continue;
    const match = { component_type: component, cmp_id: ids };
    const rows = await tables.select(componentsTable, ['entity_id'], match, ['id']);
    found.push([uid, rows.map(([id]) => Number(id))]);
  }
  return found;
}

interface ShownRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale?: string;
}

/** Which of some rows of a type a viewer is shown, as uses. */
async function shownUses({ reader }: MediaContext, type: ContentType, ids: readonly number[], viewer: Viewer) {
  const uses = new Map<string, Use>();
  const shown = new Set<number>();
  if (!viewer.view.may(`${type.uid}.find`)) return { uses: [], ids: shown };
  const label = namingField(type, viewer);
  const fields = [...(label === undefined ? [] : [label]), ...(type.localized ? ['locale'] : [])];
  const page = { mode: 'offset', offset: 0, limit: ids.length, withCount: false } as const;
  const filters = { id: { $in: ids.map(String) } };
  for (const status of type.draftAndPublish ? (['draft', 'published'] as const) : (['published'] as const)) {
    const asked = { filters, fields: fields.length === 0 ? ['id'] : fields, status, locale: '*' };
    const { data } = await reader.list(type, viewer, asked, { page });
    for (const row of JSON.parse(data) as ShownRow[]) {
      shown.add(row.id);
      const locale = row.locale ?? null;
      const key = `${row.documentId} ${locale}`;
      const name = label === undefined ? row.documentId : (row as unknown as Record<string, unknown>)[label];
      const isDraft = uses.has(key);
      const state = status === 'draft' ? 'draft' : isDraft || !type.draftAndPublish ? 'published' : 'modified';
      uses.set(key, {
        uid: type.uid,
        documentId: row.documentId,
        locale,
        label: labelOf(name),
        state,
      });
    }
  }
  return { uses: [...uses.values()], ids: shown };
}

/** How many documents there are among rows of a type that are not shown. */
async function countOthers(
  { layout, tables }: ReadContext,
  { uid }: ContentType,
  ids: readonly number[],
  shown: ReadonlySet<number>,
): Promise<number> {
  const others = ids.filter((id) => !shown.has(id));
  // links may lead nowhere
  const rows = await tables.select(layoutOf(layout, uid).table, ['document_id'], { id: others }, ['id']);
  return new Set(rows.map(([documentId]) => String(documentId))).size;
}

/** The attribute that names documents of a type; undefined where the viewer is shown none that could. */
function namingField(type: ContentType, { view }: Viewer): string | undefined {
  const { readable } = view.of(type);
  const texts = readable.filter((name) => TEXTS.has(type.attributes.get(name)?.type ?? ''));
  return NAMES.find((name) => texts.includes(name)) ?? texts[0];
}
