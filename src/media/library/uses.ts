/** Which documents show files: in an attribute of their own, or in components, however deep, and in texts. */
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
import type { Chosen } from './requests.ts';

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
    /** Whether all texts were searched for what they mention. */
    readonly texts: boolean;
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

/** Files whose names are looked for in texts. */
const NAMED = 1000;

/** From a row to what shows a file in it: names of attributes, and the component that each leads to. */
type Path = readonly { readonly name: string; readonly component?: string }[];

/** Paths by the ids of rows, by the uid of their model. */
type Places = ReadonlyMap<string, ReadonlyMap<number, readonly Path[]>>;

/**
 * The documents that show some of the files, those in the folders and below with them.
 *
 * @param viewer who reads documents: what it does not show is only counted.
 * @param ofFiles who reads files: those in folders that it does not show are as if they were not there.
 * @param withTexts whether texts are searched.
 */
export async function usesOf(
  context: MediaContext,
  { files, folders }: Chosen,
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
  const found: readonly Row[] = [...linked, ...mentions.found.map(({ uid, id, attribute }) => [uid, id, attribute])];
  const places = await documentRows(read, placesOf(found.slice(0, ROWS)));
  const told: Use[] = [];
  let hidden = 0;
  for (const [uid, rows] of places) {
    const type = read.catalog.contentTypes.get(uid);
    if (!type) continue;
    const visible = [...rows].filter(([, each]) => each.some((path) => isVisible(viewer.view, type, path)));
    const shown = await shownUses(
      context,
      type,
      visible.map(([id]) => id),
      viewer,
    );
    told.push(...shown.uses);
    hidden += await countOthers(read, type, [...rows.keys()], shown);
  }
  return {
    data: told.slice(0, TOLD),
    meta: {
      hidden,
      more: found.length > ROWS || told.length > TOLD || (!below.areAll && below.count > NAMED),
      texts: mentions.complete && named.length <= NAMED,
      files: files.length + below.count,
      folders: folders.length,
    },
  };
}

/** Files in some folders and below. */
interface Inside {
  /** The first of them. */
  readonly ids: readonly number[];
  readonly count: number;
  /** Whether these are all that there are, and not those alone that somebody is shown. */
  readonly areAll: boolean;
}

async function insideOf(
  { database, reader, catalog }: MediaContext,
  read: ReadContext,
  paths: readonly string[],
  viewer: Viewer,
): Promise<Inside> {
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

function placesOf(rows: readonly Row[]): Places {
  const places: Growing = new Map();
  for (const [uid, id, name] of rows) add(places, String(uid), Number(id), [[{ name: String(name) }]]);
  return places;
}

type Growing = Map<string, Map<number, Path[]>>;

function add(places: Growing, uid: string, id: number, paths: readonly Path[]): void {
  const rows = places.get(uid) ?? new Map<number, Path[]>();
  places.set(uid, rows);
  const known = rows.get(id) ?? [];
  rows.set(id, known);
  for (const path of paths) if (!known.some((each) => isSame(each, path))) known.push(path);
}

const isSame = (a: Path, b: Path): boolean =>
  a.length === b.length && a.every(({ name, component }, n) => b[n]!.name === name && b[n]!.component === component);

/** From rows of any model to those of the documents that they are part of. */
async function documentRows(context: ReadContext, start: Places): Promise<Places> {
  const documents: Growing = new Map();
  let level: Places = start;
  for (let depth = 0; level.size > 0 && depth < LEVELS; depth++) {
    const above: Growing = new Map();
    for (const [uid, rows] of level) {
      if (context.catalog.contentTypes.has(uid)) for (const [id, paths] of rows) add(documents, uid, id, paths);
      else await addHolders(context, uid, rows, above);
    }
    level = above;
  }
  return documents;
}

/** Adds the rows that components are directly in. */
async function addHolders(
  { plans, layout, tables }: ReadContext,
  component: string,
  parts: ReadonlyMap<number, readonly Path[]>,
  above: Growing,
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

/** Whether a View shows what stands at the end of a path. */
function isVisible(view: View, type: ContentType, path: Path): boolean {
  let model: Model = type;
  for (const { name, component } of path) {
    const { kind } = view.of(model).named(name);
    if (kind === 'hidden' || kind === 'unknown') return false;
    if (component !== undefined) model = partOf(view, model, name, component);
  }
  return true;
}

/** The component that an attribute leads to, at its place. */
function partOf(view: View, model: Model, name: string, component: string): Model {
  const attribute = model.attributes.get(name);
  return attribute?.type === 'component' ? view.into(model, attribute) : modelOf(view.catalog, component);
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
  if (ids.length === 0 || !viewer.view.may(`${type.uid}.find`)) return { uses: [], ids: shown };
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
  { ids: shown, uses }: { readonly ids: ReadonlySet<number>; readonly uses: readonly Use[] },
): Promise<number> {
  const others = ids.filter((id) => !shown.has(id));
  // links may lead nowhere
  const rows = await tables.select(layoutOf(layout, uid).table, ['document_id'], { id: others }, ['id']);
  const told = new Set(uses.map(({ documentId }) => documentId));
  return new Set(rows.map(([documentId]) => String(documentId)).filter((documentId) => !told.has(documentId))).size;
}

/** The attribute that names documents of a type; undefined where the viewer is shown none that could. */
function namingField(type: ContentType, { view }: Viewer): string | undefined {
  const { readable } = view.of(type);
  const texts = readable.filter((name) => TEXTS.has(type.attributes.get(name)?.type ?? ''));
  return NAMES.find((name) => texts.includes(name)) ?? texts[0];
}
