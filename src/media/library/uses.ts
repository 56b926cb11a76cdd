/** Finds the documents that use files: in their own attributes, in components at any depth, and in texts. */
import type { View, Viewer } from '../../access/view.ts';
import { labelOf } from '../../content/administration/form-values.ts';
import type { ReadContext } from '../../content/rows/write-context.ts';
import type { Row } from '../../db/interface/queryable.ts';
import { type ContentType, type Model, modelOf } from '../../schema/catalog.ts';
import { FILES_RELATED_TABLE, layoutOf } from '../../schema/layout/layout.ts';
import { compileUsesBelow, compileUsesOf } from '../../sql/files.ts';
import { fileType } from '../file-record.ts';
import type { MediaContext } from '../media-context.ts';
import { readFolders } from './folder-rows.ts';
import { inside } from './list-params.ts';
import { mentionsOf, namesOf } from './mentions.ts';
import { countBelow, filesBelow, pathColumn, pathValues, topmost } from './removal.ts';
import type { Selection } from './requests.ts';

/** A document that uses a file, in one locale. */
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
    /** Documents that the reader does not see. */
    readonly hidden: number;
    /** Whether there are more than were examined. */
    readonly more: boolean;
    /** Whether all texts were searched. */
    readonly texts: boolean;
    /** The number of files and folders. */
    readonly files: number;
    readonly folders: number;
  };
}

/** Rows with a file that are examined. */
const ROWS = 500;
/** Documents in an answer. */
const MOST_USES = 100;
/** The greatest depth of components. */
const LEVELS = 20;
/** Attributes for labels, the first one that a type has. */
const NAMES = ['title', 'name', 'label', 'heading', 'headline', 'slug'];
const TEXTS: ReadonlySet<string> = new Set(['string', 'text', 'uid', 'email']);

/** Files whose names are searched in texts. */
const NAMED = 1000;

/** The path from a row to an attribute with a file: names of attributes, and the component of each. */
type Path = readonly { readonly name: string; readonly component?: string }[];

/** Paths by row id, by uid of the model. */
type PathsByRow = ReadonlyMap<string, ReadonlyMap<number, readonly Path[]>>;

/**
 * The documents that use some of the files, including files in the folders and below.
 *
 * @param viewer the reader of documents; hidden ones are only counted.
 * @param ofFiles the reader of files; hidden files in folders are ignored.
 * @param withTexts whether texts are searched.
 */
export async function usesOf(
  context: MediaContext,
  { files, folders }: Selection,
  viewer: Viewer,
  ofFiles: Viewer,
  withTexts: boolean,
): Promise<Uses> {
  const { database } = context;
  const read = context.writer.reading(database);
  const paths = topmost((await readFolders(read, folders)).map(({ path }) => path));
  const below = await insideOf(context, read, paths, ofFiles);
  const named = [...new Set([...files, ...below.ids])];
  const mentions = withTexts
    ? await mentionsOf(read, database, await namesOf(read, named.slice(0, NAMED)), ROWS + 1)
    : { found: [], complete: false };
  const linked = below.areAll
    ? [...(await rowsWith(read, files)), ...(await rowsBelow(read, paths))]
    : await rowsWith(read, named);
  const rows: readonly Row[] = [...linked, ...mentions.found.map(({ uid, id, attribute }) => [uid, id, attribute])];
  const places = await documentRows(read, placesOf(rows.slice(0, ROWS)));
  const uses: Use[] = [];
  let hidden = 0;
  for (const [uid, ofType] of places) {
    const type = read.catalog.contentTypes.get(uid);
    if (!type) continue;
    const visible = [...ofType].filter(([, each]) => each.some((path) => isVisible(viewer.view, type, path)));
    const shown = await shownUses(
      context,
      type,
      visible.map(([id]) => id),
      viewer,
    );
    uses.push(...shown.uses);
    hidden += await countOthers(read, type, [...ofType.keys()], shown);
  }
  return {
    data: uses.slice(0, MOST_USES),
    meta: {
      hidden,
      more: rows.length > ROWS || uses.length > MOST_USES || (!below.areAll && below.count > NAMED),
      texts: mentions.complete && named.length <= NAMED,
      files: files.length + below.count,
      folders: folders.length,
    },
  };
}

/** Files in some folders and below. */
interface FolderContents {
  /** The ids of the first ones. */
  readonly ids: readonly number[];
  readonly count: number;
  /** Whether hidden files are included. */
  readonly areAll: boolean;
}

async function insideOf(
  { database, reader, catalog }: MediaContext,
  read: ReadContext,
  paths: readonly string[],
  viewer: Viewer,
): Promise<FolderContents> {
  const type = fileType({ catalog });
  if (paths.length === 0 || reader.shown(database, viewer).areAll(type)) {
    return { ids: await filesBelow(read, paths, NAMED + 1), count: await countBelow(read, paths), areAll: true };
  }
  const page = { mode: 'offset', offset: 0, limit: NAMED + 1, withCount: true } as const;
  const filters = { $or: paths.map((path) => inside({ path })) };
  const { data, total } = await reader.list(type, viewer, { fields: ['id'], sort: ['id'], filters }, { page });
  const ids = (JSON.parse(data) as readonly { readonly id: number }[]).map(({ id }) => id);
  return { ids, count: total ?? ids.length, areAll: false };
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

function placesOf(rows: readonly Row[]): PathsByRow {
  const places: MutablePlaces = new Map();
  for (const [uid, id, name] of rows) add(places, String(uid), Number(id), [[{ name: String(name) }]]);
  return places;
}

type MutablePlaces = Map<string, Map<number, Path[]>>;

function add(places: MutablePlaces, uid: string, id: number, paths: readonly Path[]): void {
  const rows = places.get(uid) ?? new Map<number, Path[]>();
  places.set(uid, rows);
  const known = rows.get(id) ?? [];
  rows.set(id, known);
  for (const path of paths) if (!known.some((each) => isSame(each, path))) known.push(path);
}

const isSame = (a: Path, b: Path): boolean =>
  a.length === b.length && a.every(({ name, component }, n) => b[n]!.name === name && b[n]!.component === component);

/** Follows components to the rows of their documents. */
async function documentRows(context: ReadContext, start: PathsByRow): Promise<PathsByRow> {
  const documents: MutablePlaces = new Map();
  let level: PathsByRow = start;
  for (let depth = 0; level.size > 0 && depth < LEVELS; depth++) {
    const above: MutablePlaces = new Map();
    for (const [uid, rows] of level) {
      if (context.catalog.contentTypes.has(uid)) for (const [id, paths] of rows) add(documents, uid, id, paths);
      else await addHolders(context, uid, rows, above);
    }
    level = above;
  }
  return documents;
}

/** Adds the rows that contain components directly. */
async function addHolders(
  { plans, layout, tables }: ReadContext,
  component: string,
  parts: ReadonlyMap<number, readonly Path[]>,
  above: MutablePlaces,
): Promise<void> {
  for (const { uid } of plans.index.holders(component)) {
    const { componentsTable } = layoutOf(layout, uid);
    if (componentsTable === undefined) continue;
    const match = { component_type: component, cmp_id: [...parts.keys()] };
    for (const [id, part, name] of await tables.select(componentsTable, ['entity_id', 'cmp_id', 'field'], match, [
      'id',
    ])) {
      const step = { name: String(name), component };
      const paths = (parts.get(Number(part)) ?? []).map((path) => [step, ...path]);
      add(above, uid, Number(id), paths);
    }
  }
}

/** Whether a View shows the attribute at the end of a path. */
function isVisible(view: View, type: ContentType, path: Path): boolean {
  let model: Model = type;
  for (const { name, component } of path) {
    const { kind } = view.of(model).named(name);
    if (kind === 'hidden' || kind === 'unknown') return false;
    if (component !== undefined) model = partOf(view, model, name, component);
  }
  return true;
}

/** The component of an attribute in its place. */
function partOf(view: View, model: Model, name: string, component: string): Model {
  const attribute = model.attributes.get(name);
  return attribute?.type === 'component' ? view.into(model, attribute) : modelOf(view.catalog, component);
}

interface ShownRow {
  readonly id: number;
  readonly documentId: string;
  readonly locale?: string;
}

/** The rows of a type that a viewer sees, as uses. */
async function shownUses({ reader }: MediaContext, type: ContentType, ids: readonly number[], viewer: Viewer) {
  const uses = new Map<string, Use>();
  const shown = new Set<number>();
  if (ids.length === 0 || !viewer.view.may(`${type.uid}.find`)) return { uses: [], ids: shown };
  const label = namingField(type, viewer);
  const fields = [...(label === undefined ? [] : [label]), ...(type.localized ? ['locale'] : [])];
  const page = { mode: 'offset', offset: 0, limit: ids.length, withCount: false } as const;
  const filters = { id: { $in: ids.map(String) } };
  for (const status of type.draftAndPublish ? (['draft', 'published'] as const) : (['published'] as const)) {
    const params = { filters, fields: fields.length === 0 ? ['id'] : fields, status, locale: '*' };
    const { data } = await reader.list(type, viewer, params, { page });
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

/** The number of documents among hidden rows of a type. */
async function countOthers(
  { layout, tables }: ReadContext,
  { uid }: ContentType,
  ids: readonly number[],
  { ids: shown, uses }: { readonly ids: ReadonlySet<number>; readonly uses: readonly Use[] },
): Promise<number> {
  const others = ids.filter((id) => !shown.has(id));
  // links may refer to missing rows
  const rows = await tables.select(layoutOf(layout, uid).table, ['document_id'], { id: others }, ['id']);
  const visible = new Set(uses.map(({ documentId }) => documentId));
  return new Set(rows.map(([documentId]) => String(documentId)).filter((documentId) => !visible.has(documentId))).size;
}

/** The attribute for labels of a type; undefined if the viewer sees none. */
function namingField(type: ContentType, { view }: Viewer): string | undefined {
  const { readable } = view.of(type);
  const texts = readable.filter((name) => TEXTS.has(type.attributes.get(name)?.type ?? ''));
  return NAMES.find((name) => texts.includes(name)) ?? texts[0];
}
