/**
 * Finds texts that mention files: pictures and addresses in rich text, Markdown and blocks. There are no links for
 * them, so the texts are searched, with search indexes if there are any, else row by row, and for a short time only.
 */
import { layoutOfModel, type ReadContext } from '../../content/rows/write-context.ts';
import type { Database } from '../../db/interface/database.ts';
import { ContentError } from '../../errors.ts';
import { costOf } from '../../plan/cost.ts';
import type { PlanCondition, ReadPlan, SearchIndexes, SlotKind } from '../../plan/read-plan.ts';
import { planIndexSearch, sourceOf } from '../../plan/search.ts';
import { Budget } from '../../query/budget.ts';
import { type ContentType, isScalar, type Model, type ScalarAttribute, USER_UID } from '../../schema/catalog.ts';
import { layoutOf } from '../../schema/layout/layout.ts';
import { inParallel, Semaphore } from '../../semaphore.ts';
import { compileRead } from '../../sql/read.ts';
import { bind, makeStatement, questionsOf } from '../../sql/statement.ts';
import { fileType, formatsOf } from '../file-record.ts';

/** A row that mentions a file, and the attribute with the text. */
export interface Mention {
  readonly uid: string;
  readonly id: number;
  readonly attribute: string;
}

export interface Mentions {
  readonly found: readonly Mention[];
  /** Whether all texts were searched for all names. */
  readonly complete: boolean;
}

/** Milliseconds of one search, including its waiting time. */
const TIME = 3000;
/** Concurrent statements of all searches of a database. */
const AT_ONCE = 2;
/** Comparisons of one statement per row. */
const COMPARISONS = 100;
/** Bytes of the ids that one statement returns. */
const LONGEST = 1_000_000;

/** Types of attributes that may mention a file. */
const TEXTS: ReadonlySet<string> = new Set(['string', 'text', 'richtext', 'blocks', 'json']);

/** Texts of a model that one statement searches. */
interface Part {
  readonly model: Model;
  readonly table: string;
  readonly texts: readonly Text[];
}

interface Text {
  readonly attribute: ScalarAttribute;
  readonly column: string;
}

interface Search {
  readonly database: Database;
  readonly until: number;
  /** The most rows of one table. */
  readonly most: number;
}

/**
 * The rows of content types and components whose texts contain one of some pieces.
 *
 * @param most the most rows of one table.
 * @param time milliseconds of the search.
 */
export async function mentionsOf(
  context: ReadContext,
  database: Database,
  pieces: readonly string[],
  most: number,
  time = TIME,
): Promise<Mentions> {
  const search = { database, until: performance.now() + time, most };
  const semaphore = semaphoreOf(database);
  const found: Mention[] = [];
  let complete = true;
  const searchPart = async (part: Part, some: readonly string[]): Promise<void> => {
    if (performance.now() >= search.until) complete = false;
    if (!complete) return;
    try {
      const mentions = await semaphore.runUntil(search.until, () => mentionsIn(search, part, some));
      if (mentions) found.push(...mentions);
      else complete = false;
    } catch (error) {
      if (!(error instanceof ContentError) || error.name !== 'ServiceUnavailableError') throw error;
      complete = false;
    }
  };
  // small tables first, so that a large one does not hide their mentions
  const rows = ({ table }: Part): number => database.rowsOf(table) ?? Number.POSITIVE_INFINITY;
  const sized = partsOf(context, database.search).map((part) => [part, rows(part)] as const);
  const parts = sized.toSorted(([, a], [, b]) => (a === b ? 0 : a - b)).map(([part]) => part);
  const works = parts.flatMap((part) =>
    inGroups(pieces, Math.max(1, Math.floor(COMPARISONS / part.texts.length))).map((some) => [part, some] as const),
  );
  await inParallel(AT_ONCE, works, ([part, some]) => searchPart(part, some));
  return { found, complete };
}

const semaphores = new WeakMap<Database, Semaphore>();

function semaphoreOf(database: Database): Semaphore {
  const semaphore = semaphores.get(database) ?? new Semaphore(AT_ONCE);
  semaphores.set(database, semaphore);
  return semaphore;
}

/** The texts of all models; those with a search index are separate, since an index serves no others. */
function partsOf({ catalog, layout, plans }: ReadContext, indexes: SearchIndexes | undefined): Part[] {
  const types = [...catalog.contentTypes.values()].filter(isContent);
  const components = [...catalog.components.values()].filter(({ uid }) => plans.index.reachedFrom(uid).length > 0);
  return [...types, ...components].flatMap((model) => {
    const { table, columns } = layoutOf(layout, model.uid);
    const texts = [...model.attributes.values()].flatMap((attribute): Text[] => {
      if (!isScalar(attribute) || attribute.secret || !TEXTS.has(attribute.type)) return [];
      return [{ attribute, column: columns.get(attribute.name)! }];
    });
    const indexed = new Set(indexes?.of(table).flatMap(({ columns }) => columns));
    const parts = [
      texts.filter(({ column }) => indexed.has(column)),
      texts.filter(({ column }) => !indexed.has(column)),
    ];
    return parts.filter((each) => each.length > 0).map((some) => ({ model, table, texts: some }));
  });
}

/** Whether editors write documents of a type, including accounts. */
const isContent = ({ builtIn, uid }: ContentType): boolean => !builtIn || uid === USER_UID;

async function mentionsIn(search: Search, part: Part, pieces: readonly string[]): Promise<Mention[]> {
  const ids = await idsWith(search, part, pieces);
  if (ids.length === 0) return [];
  const { model, texts } = part;
  const found: Mention[] = [];
  for (const text of texts) {
    const those = texts.length === 1 ? ids : await idsWith(search, { ...part, texts: [text] }, pieces, ids);
    for (const id of those) found.push({ uid: model.uid, id, attribute: text.attribute.name });
  }
  return found;
}

/**
 * Ids of rows with a text that contains one of some pieces, in order.
 *
 * @param among the rows to search; undefined for all.
 * @throws ContentError 503 if it takes too long.
 */
async function idsWith(
  { database, until, most }: Search,
  { table, texts }: Part,
  pieces: readonly string[],
  among?: readonly number[],
): Promise<number[]> {
  const kinds = new Map<number, SlotKind>();
  const values: (string | number)[] = [];
  const slotOf = (value: string | number, kind: SlotKind): number => {
    const slot = values.push(value) - 1;
    kinds.set(slot, kind);
    return slot;
  };
  const slots = pieces.map((piece) => slotOf(piece, { kind: 'text' }));
  const items = texts.flatMap(({ column, attribute }) =>
    slots.map(
      (slot): PlanCondition => ({
        kind: 'test',
        column,
        type: attribute.type,
        operator: '$contains',
        slots: [slot],
        outcome: 'true',
      }),
    ),
  );
  const mentions: PlanCondition = items.length === 1 ? items[0]! : { kind: 'or', items };
  const where: PlanCondition = among ? { kind: 'and', items: [amongIds(among, slotOf), mentions] } : mentions;
  const list = {
    order: [],
    limit: slotOf(most, { kind: 'count' }),
    offset: slotOf(0, { kind: 'count' }),
    total: undefined,
    isKept: false,
    size: 'large',
    deep: false,
    cursor: undefined,
    snapshot: false,
  } as const;
  const member = { kind: 'column', key: 'id', column: 'id', type: 'id' } as const;
  const plan: ReadPlan = { table, tests: [], rows: undefined, where, members: [member], version: undefined, list };
  const search = among ? undefined : planIndexSearch(where, table, database.search, kinds);
  const read = async (of: ReadPlan): Promise<number[] | undefined> => {
    const form = { bytes: false, longest: LONGEST };
    const statement = makeStatement(database.dialect, compileRead(database.dialect, of, form, new Budget()), kinds);
    const parameters = bind(database.dialect, statement, (slot) => values[sourceOf(slot)]);
    if (questionsOf(statement, parameters).includes(null)) return undefined;
    const limit = Math.max(1, until - performance.now());
    const page = { limit: most, offset: 0 };
    const [row] = await database.read({
      text: statement.text,
      values: parameters,
      cost: costOf(of),
      table,
      page,
      limit,
    });
    return (JSON.parse(String(row?.[0] ?? '[]')) as { id: number }[]).map(({ id }) => id);
  };
  if (!search) return (await read(plan)) ?? [];
  try {
    return (await read({ ...plan, search })) ?? (await read(plan)) ?? [];
  } catch (error) {
    if (error instanceof ContentError) throw error;
    // the index may have been dropped a moment ago
    return (await read(plan)) ?? [];
  }
}

function amongIds(ids: readonly number[], slotOf: (value: number, kind: SlotKind) => number): PlanCondition {
  const slots = ids.map((id) => slotOf(id, { kind: 'value', type: 'id', field: 'id' }));
  return { kind: 'test', column: 'id', type: 'id', operator: '$in', slots, outcome: 'true' };
}

function inGroups<T>(items: readonly T[], size: number): T[][] {
  const groups: T[][] = [];
  for (let from = 0; from < items.length; from += size) groups.push(items.slice(from, from + size));
  return groups;
}

/** The random end of file names in Galley and the reference, which no other name contains. */
const RANDOM = /_[0-9a-f]{10}$/;

/**
 * Pieces of text that a text mentioning one of some files or their formats contains: the ends of their present and
 * former addresses, signed or not, and of copies of their records in blocks.
 */
export async function namesOf(context: ReadContext, ids: readonly number[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { table } = layoutOfModel(context, fileType(context));
  const rows = await context.tables.select(table, ['hash', 'url', 'preview_url', 'formats'], { id: ids }, ['id']);
  const names = rows.flatMap(([hash, url, preview, formats]) => {
    const sizes = Object.values(formatsOf(formats) ?? {}).map((size) => size?.url as unknown);
    const addresses = [url, preview, ...sizes].filter((each): each is string => typeof each === 'string');
    return namesIn(String(hash ?? ''), addresses);
  });
  return [...new Set(names)];
}

/** The names of a file from its hash and addresses. */
export function namesIn(hash: string, addresses: readonly string[]): string[] {
  const own = RANDOM.test(hash) ? [hash] : [];
  const others = addresses.filter((address) => own.length === 0 || !address.includes(hash));
  return [...own, ...others.map(endOf).filter((end) => end !== '')];
}

/** The last part of an address with its slash; the whole address if its parameters identify the file. */
function endOf(address: string): string {
  if (/[?#]/.test(address)) return address;
  const end = address.slice(address.lastIndexOf('/'));
  return end.length > 1 ? end : address;
}
