/** PermittedQuery → ReadPlan. Pure: equal queries give equal plans, so plans can be cached. */
import type { Order, Part, PermittedQuery, Populated, Selection } from '../access/permitted.ts';
import type { Cohort } from '../query/content-query.ts';
import { cursorLimits, wrongCursor } from '../query/cursor.ts';
import { attributeOf, type Catalog, FILE_UID, isToMany, type Model, modelOf } from '../schema/catalog.ts';
import { type Layout, layoutOf } from '../schema/layout/layout.ts';
import { planCondition, planSearch } from './condition.ts';
import { columnOf, linkedTarget, type PlanContext, relationLayout, targetOf, visibleRows } from './context.ts';
import { planPreview, type ReleaseSlots } from './preview.ts';
import { planRange } from './range.ts';
import type {
  FileMarks,
  MarkedFile,
  Member,
  MemberPart,
  PageSize,
  PartsSource,
  PlanCondition,
  PlanCursor,
  PlanOrder,
  ReadPlan,
  RowTest,
  SearchIndexes,
  SlotKind,
} from './read-plan.ts';
import { withRows } from './rows.ts';
import { planIndexSearch } from './search.ts';
import { localeTests, variantOf, withoutLocales } from './variant.ts';

/** Slots of a read outside the query's tree. */
export interface ReadSlots {
  /** Locale codes; undefined: all locales. */
  readonly locales: readonly number[] | undefined;
  /** The requested document; undefined for lists and single types. */
  readonly documentId: number | undefined;
  /** The requested row, for rows that are addressed by id: files and users. */
  readonly rowId?: number | undefined;
  /** Limit and offset of a list; undefined for one document. */
  readonly page:
    | {
        readonly limit: number;
        readonly offset: number;
        readonly count: boolean;
        /** Whether the totals of the table are stored. */
        readonly kept?: boolean;
        readonly size: PageSize;
        readonly deep?: boolean;
        readonly cursor?: PlanCursor | undefined;
        /** Whether to return the snapshot of the statement. */
        readonly snapshot?: boolean;
      }
    | undefined;
  /** The most rows of each list of relations that are read; undefined: all. */
  readonly linked?: number | undefined;
  /** The cohort of populated rows, if it differs from that of the requested rows. */
  readonly linkedCohort?: Cohort | undefined;
  /** Reads as if a release had run. */
  readonly preview?: ReleaseSlots | undefined;
  /** Constant keys at the end of each object. */
  readonly flags?: Readonly<Record<string, boolean>> | undefined;
}

/** A plan and the kind of each of its slots. */
export interface Planned {
  readonly plan: ReadPlan;
  readonly kinds: ReadonlyMap<number, SlotKind>;
}

/**
 * Plans a list or the read of one document.
 *
 * @param marks of the files in a private store, if there is one.
 * @param indexes the search indexes of the database.
 */
export function planRead(
  catalog: Catalog,
  layout: Layout,
  query: PermittedQuery,
  slots: ReadSlots,
  marks?: FileMarks,
  indexes?: SearchIndexes,
): Planned {
  const kinds = new Map<number, SlotKind>();
  const { type } = query;
  const variant = variantOf(type, query.status, query.cohort);
  const { linked } = slots;
  const context = withRows({ catalog, layout, variant, kinds, planned: new Map(), marks, linked }, query.rows);
  const { table } = layoutOf(layout, type.uid);
  const tests: RowTest[] = [];
  if (slots.documentId !== undefined) {
    tests.push({ kind: 'documentId', slot: slots.documentId });
    kinds.set(slots.documentId, { kind: 'text' });
  }
  if (slots.rowId !== undefined) {
    tests.push({ kind: 'rowId', slot: slots.rowId });
    kinds.set(slots.rowId, { kind: 'value', type: 'id', field: 'id' });
  }
  const visible = visibleRows(context, type, table);
  tests.push(...visible.tests);
  if (!query.choosesLocale) {
    tests.push(...localeTests(type, slots.locales));
    for (const slot of slots.locales ?? []) kinds.set(slot, { kind: 'text' });
  }
  const conditions: PlanCondition[] = [];
  if (query.filter) {
    const filter = withoutLocales(type, planCondition(context, type, query.filter));
    tests.push(...filter.tests);
    conditions.push(...filter.rest);
  }
  if (query.search) conditions.push(planSearch(context, type, query.search.fields, query.search.slot));
  const { linkedCohort } = slots;
  const inside = linkedCohort ? { ...context, variant: { ...variant, cohort: linkedCohort } } : context;
  const members = [...planMembers(inside, query.selection)];
  for (const [key, value] of Object.entries(slots.flags ?? {})) {
    // a member of the row takes precedence over a constant of the same name
    if (!members.some((member) => member.key === key)) members.push({ kind: 'flag', key, value });
  }
  if (slots.page) {
    kinds.set(slots.page.limit, { kind: 'count' });
    kinds.set(slots.page.offset, { kind: 'count' });
  }
  const isWhole = conditions.length === 0 && visible.rows === undefined && hasOnlyStoredTests(tests);
  const { preview } = slots;
  if (preview) {
    kinds.set(preview.release, { kind: 'value', type: 'id', field: 'id' });
    kinds.set(preview.now, { kind: 'value', type: 'datetime', field: 'publishedAt' });
    kinds.set(preview.locale, { kind: 'text' });
  }
  // stored totals and indexes are those of the stored rows
  const page = slots.page && preview ? { ...slots.page, kept: false } : slots.page;
  const list = page && planList(context, page, planOrder(context, type, query.order), isWhole);
  const where = conditions.length > 1 ? ({ kind: 'and', items: conditions } as const) : conditions[0];
  const version = slots.page || slots.rowId !== undefined ? undefined : { sameLocale: type.localized };
  const search = list && !preview ? planIndexSearch(where, table, indexes, kinds) : undefined;
  const source = { table, tests, rows: visible.rows, where };
  const isRanged = list && !list.cursor && !search && !preview;
  const range = isRanged && planRange(layout, { ...source, order: list.order, isCounted: list.total !== undefined });
  const plan: ReadPlan = { ...source, search, range: range || undefined, members, version, list };
  return { plan: preview ? { ...plan, preview: planPreview(catalog, layout, plan, preview) } : plan, kinds };
}

/** @param isWhole whether all rows of a status and of some locales are listed, whose number may be stored. */
function planList(
  { kinds }: PlanContext,
  {
    limit,
    offset,
    count,
    kept: isStored = false,
    size,
    deep = false,
    snapshot = false,
    cursor,
  }: NonNullable<ReadSlots['page']>,
  order: readonly PlanOrder[],
  isWhole: boolean,
): NonNullable<ReadPlan['list']> {
  const isKept = isStored && isWhole;
  const total = count ? (isKept ? 'kept' : 'counted') : undefined;
  return {
    order,
    limit,
    offset,
    size,
    deep,
    total,
    isKept,
    snapshot,
    cursor: cursor && planCursor(cursor, order, kinds),
  };
}

/** Totals are stored by locale and status. */
const hasOnlyStoredTests = (tests: readonly RowTest[]): boolean =>
  tests.every(({ kind }) => kind === 'published' || kind === 'locale');

/** The members of a selection. A selection that appears several times is planned once. */
function planMembers(context: PlanContext, selection: Selection): readonly Member[] {
  const planned = context.planned.get(selection);
  if (planned) return planned;
  const model = modelOf(context.catalog, selection.uid);
  const file = model.uid === FILE_UID ? markedFile(context) : undefined;
  const columns = selection.fields.map((field): Member => {
    const type = fieldType(model, field);
    const column = { key: field, column: columnOf(context, model.uid, field), type };
    return file && ADDRESSES.has(field) ? { kind: 'address', ...column, file } : { kind: 'column', ...column };
  });
  const populated = selection.populated.map((populated) => planPopulated(context, model, populated));
  const members = [...columns, ...populated, ...(file ? [{ kind: 'signed', key: SIGNED_FLAG, file } as const] : [])];
  context.planned.set(selection, members);
  return members;
}

/** Fields of a file that hold addresses. */
const ADDRESSES: ReadonlySet<string> = new Set(['url', 'previewUrl', 'formats']);
/** The key that says whether the addresses of a file are signed (docs/reference/files.md). */
const SIGNED_FLAG = 'isUrlSigned';

function markedFile(context: PlanContext): MarkedFile | undefined {
  const { marks } = context;
  if (!marks) return undefined;
  const [providerColumn, urlColumn] = [columnOf(context, FILE_UID, 'provider'), columnOf(context, FILE_UID, 'url')];
  return { marks, providerColumn, urlColumn };
}

function fieldType(model: Model, field: string): Extract<Member, { kind: 'column' }>['type'] {
  if (field === 'id') return 'id';
  const attribute = model.attributes.get(field);
  if (attribute) return attribute.type as Extract<Member, { kind: 'column' }>['type'];
  return field.endsWith('At') ? 'datetime' : 'string';
}

function planPopulated(context: PlanContext, model: Model, populated: Populated): Member {
  if (populated.kind === 'parts') return planParts(context, model, populated);
  const { name } = populated;
  const { model: targetModel, ...target } = targetOf(context, model, name);
  return {
    kind: 'related',
    key: name,
    target,
    cardinality: populated.count ? 'count' : isToMany(model, name) ? 'many' : 'one',
    members: planMembers(context, populated.selection),
    where: populated.filter && planCondition(context, targetModel, populated.filter),
    order: planOrder(context, targetModel, populated.order),
    most: attributeOf(model, name)?.type === 'relation' ? context.linked : undefined,
  };
}

function planParts(context: PlanContext, model: Model, populated: Extract<Populated, { kind: 'parts' }>): Member {
  const { name } = populated;
  const attribute = model.attributes.get(name)!;
  const zone = attribute.type === 'dynamiczone';
  const one = attribute.type === 'relation' && attribute.relation === 'morphToOne';
  const parts = populated.parts.map((part) => planPart(context, part, zone ? '__component' : '__type'));
  return {
    kind: 'parts',
    key: name,
    source: zone
      ? { kind: 'zone', table: layoutOf(context.layout, model.uid).componentsTable!, field: name }
      : partsSource(context, model, name),
    cardinality: populated.count ? 'count' : one ? 'one' : 'many',
    parts,
    most: zone ? undefined : context.linked,
  };
}

function partsSource(context: PlanContext, model: Model, name: string): PartsSource {
  const relation = relationLayout(context, model, name);
  if (relation.kind === 'morphColumns') return { kind: 'morphColumns', id: relation.id, type: relation.type };
  if (relation.kind === 'morphTable') {
    const { table, source, id, type, field, order } = relation;
    return { kind: 'morphTable', table, source, id, type, field, order };
  }
  throw new Error(`${name} leads to one type`);
}

function planPart(context: PlanContext, part: Part, typeKey: string): MemberPart {
  const { uid } = part.selection;
  const model = modelOf(context.catalog, uid);
  const { table } = layoutOf(context.layout, uid);
  return {
    uid,
    ...visibleRows(context, model, table),
    members: [...planMembers(context, part.selection), { kind: 'label', key: typeKey, text: uid }],
    where: part.filter && planCondition(context, model, part.filter),
    linkedBy: part.linkedBy,
  };
}

/** Sort keys follow all links: a cohort restricts only which documents are listed and populated. */
function planOrder(outer: PlanContext, start: Model, orders: readonly Order[]): PlanOrder[] {
  const context = { ...outer, variant: { ...outer.variant, cohort: undefined } };
  return orders.map((order) => {
    let model = start;
    let toMany = false;
    const targets = order.steps.map(({ name }) => {
      toMany ||= isToMany(model, name);
      const { model: next, ...target } = linkedTarget(context, model, name);
      model = next;
      return target;
    });
    return {
      targets,
      toMany,
      column: columnOf(context, model.uid, order.field),
      type: order.type,
      descending: order.descending,
      long: isLong(model, order),
    };
  });
}

/**
 * Checks that a list in this order can have a cursor, and sets the kinds of the cursor's slots.
 *
 * @throws ContentError 400 for an order by JSON, or by too many keys.
 */
function planCursor(cursor: PlanCursor, order: readonly PlanOrder[], kinds: Map<number, SlotKind>): PlanCursor {
  if (order.length > cursorLimits.keys) {
    throw wrongCursor(`A list with a cursor can be sorted by at most ${cursorLimits.keys} keys`);
  }
  if (order.some(({ type }) => type === 'json' || type === 'blocks')) {
    throw wrongCursor('A list with a cursor cannot be sorted by JSON');
  }
  const { more, after } = cursor;
  kinds.set(more, { kind: 'count' });
  if (!after) return cursor;
  kinds.set(after.id, { kind: 'exact', type: 'id' });
  for (const [index, slot] of after.keys.entries()) {
    if (slot !== null) kinds.set(slot, { kind: 'exact', type: order[index]!.type });
  }
  return cursor;
}

/** Whether a sort field may contain texts that are too long for a cursor. */
export function isLong(model: Model, { field, type }: Order): boolean {
  if (type === 'text' || type === 'richtext') return true;
  const attribute = model.attributes.get(field);
  // without a limit in the schema, other texts are as short as their columns
  const most = attribute && 'maxLength' in attribute ? attribute.maxLength : undefined;
  return most !== undefined && most > cursorLimits.textLength;
}
