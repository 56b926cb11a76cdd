/**
 * The tables of a preview (`plan/preview.ts`). The statement first finds what the release changes: the versions of each
 * type, and the links that appear and disappear. Then each table of the read that the release changes is replaced by a
 * subquery of the stored one and these changes, so that the rest of the statement is that of any read.
 */
import type {
  PreviewEnd,
  PreviewLinks,
  PreviewPlan,
  PreviewRelation,
  PreviewTable,
  PreviewType,
} from '../plan/preview.ts';
import { DRAFT_LINKS_TABLE, PENDING_TABLE } from '../schema/layout/table.ts';
import { all, type CommonTables, FALSE, type ReplacedTable } from './compiler.ts';
import type { Dialect, UnfoldedColumn } from './dialect.ts';
import { id, join, list, literal, raw, type Sql, slot, sql } from './fragment.ts';
import { RELEASE_ACTIONS_TABLE, RELEASE_LINKS_TABLE } from './releases.ts';

/** Ids of first publications begin behind this number, in the order of the release. */
const FIRST_ID = 1_000_000_000;
/** The order of what comes last in a list. */
const LAST = raw('1e12');

/** What happens to a version: `peer` gets the shared attributes of a locale that is published. */
const KINDS = { publish: 1, unpublish: 2, peer: 3 } as const;
type Kind = keyof typeof KINDS;

const VERSION: readonly UnfoldedColumn[] = [
  { name: 'draft_id', kind: 'integer' },
  { name: 'published_id', kind: 'integer' },
  { name: 'id', kind: 'integer' },
  { name: 'kind', kind: 'integer' },
  { name: 'document_id', kind: 'text' },
  { name: 'locale', kind: 'text' },
];
const LINK: readonly UnfoldedColumn[] = [
  { name: 'id', kind: 'double' },
  { name: 'src', kind: 'integer' },
  { name: 'tgt', kind: 'integer' },
  { name: 'ord', kind: 'double' },
  { name: 'inv', kind: 'double' },
  { name: 'type', kind: 'text' },
  { name: 'field', kind: 'text' },
];
const PAIR: readonly UnfoldedColumn[] = [
  { name: 'src', kind: 'integer' },
  { name: 'tgt', kind: 'integer' },
];
const PART: readonly UnfoldedColumn[] = [
  { name: 'uid', kind: 'text' },
  { name: 'id', kind: 'integer' },
];
const ROW: readonly UnfoldedColumn[] = [{ name: 'id', kind: 'integer' }];

/** A preview as parts of a read. */
export interface CompiledPreview {
  /** What takes the places of stored tables, by their names. */
  readonly replaced: ReadonlyMap<string, ReplacedTable>;
  /** The statement of the read with what has to be found before it. */
  around(read: Sql): Sql;
}

/** @param common gets the common tables of the preview. */
export function compilePreview(dialect: Dialect, common: CommonTables, plan: PreviewPlan): CompiledPreview {
  const changes = new Changes(dialect, common);
  const versions = new Versions(dialect, changes, plan);
  const replaced = new Map<string, ReplacedTable>();
  for (const table of plan.tables) {
    const rows = join(compileTable(versions, table), ' union all ');
    const end = dialect.noted ? dialect.noted.unmerged : raw('');
    replaced.set(table.table, { merged: sql`(${rows})`, apart: sql`(${rows}${end})` });
  }
  return { replaced, around: (read) => changes.around(read) };
}

/** Queries of what a release changes, which later ones and the read use. */
class Changes {
  readonly #dialect: Dialect;
  readonly #common: CommonTables;
  readonly #noted: Sql[] = [];

  constructor(dialect: Dialect, common: CommonTables) {
    this.#dialect = dialect;
    this.#common = common;
  }

  /** Adds a query, and returns its result for a FROM clause. */
  add(select: Sql, columns: readonly UnfoldedColumn[]): Sql {
    const { noted } = this.#dialect;
    if (!noted) return this.#common.add(select);
    const place = this.#noted.length;
    this.#noted.push(noted.note(place, select, columns));
    return this.#dialect.unfold(noted.list(place), columns);
  }

  /** The statement of a read with the queries whose results the engine notes before it. */
  around(read: Sql): Sql {
    if (this.#noted.length === 0) return read;
    const first = sql`with "galley_changes" as materialized (select ${list(this.#noted)})`;
    return sql`${first} select o.* from "galley_changes" cross join (${read}) o`;
  }
}

/** The versions of documents that a release changes, and the components in their drafts. */
class Versions {
  readonly changes: Changes;
  readonly #dialect: Dialect;
  readonly #plan: PreviewPlan;
  readonly #byType = new Map<string, Sql>();
  readonly #parts: Sql | undefined;

  constructor(dialect: Dialect, changes: Changes, plan: PreviewPlan) {
    this.changes = changes;
    this.#dialect = dialect;
    this.#plan = plan;
    for (const type of plan.types) this.#byType.set(type.uid, changes.add(this.#find(type), VERSION));
    // SQLite takes no further common table, not even a recursive one, after so many others that a query reads
    if (plan.tables.some(linksParts)) this.#parts = changes.add(this.#findParts(), PART);
  }

  /** The time of the publication. */
  get now(): Sql {
    return this.#dialect.value(slot(this.#plan.slots.now), 'datetime');
  }

  /** The changed versions of a type: their rows, the id of the row that stands for each, and what happens to it. */
  of({ uid }: PreviewType): Sql {
    return this.#byType.get(uid)!;
  }

  /** Whether a row is among the changed versions, by one of their columns. */
  isAmong(type: PreviewType, row: Sql, column: 'draft_id' | 'published_id', ...kinds: readonly Kind[]): Sql {
    const named = raw(kinds.map((kind) => KINDS[kind]).join(', '));
    return sql`${row} in (select w.${id(column)} from ${this.of(type)} w where w."kind" in (${named}) and w.${id(column)} is not null)`;
  }

  /** The other row of a version, or the same locale of another one. */
  sameLocale({ localized }: PreviewType, one: Sql, other: Sql): Sql {
    return localized ? sql` and ${one}."locale" = ${other}."locale"` : raw('');
  }

  #find(type: PreviewType): Sql {
    const { release, locale } = this.#plan.slots;
    const table = id(type.table);
    const code = sql`coalesce(a."locale", ${this.#dialect.value(slot(locale), 'text')})`;
    const place = sql`row_number() over (order by l."release_action_ord", a."id")`;
    const actions = sql`(select a."content_type" as "uid", a."entry_document_id" as "document_id", ${code} as "locale", a."type" as "kind", ${place} as "n"
      from ${id(RELEASE_LINKS_TABLE)} l join ${id(RELEASE_ACTIONS_TABLE)} a on a."id" = l."release_action_id"
      where l."release_id" = ${this.#dialect.value(slot(release), 'id')})`;
    const isOf = (kind: 'publish' | 'unpublish') => sql`a."uid" = ${literal(type.uid)} and a."kind" = ${literal(kind)}`;
    const isAbout = (row: Sql): Sql => {
      const same = sql`${row}."document_id" = a."document_id"`;
      return sql`${type.single ? sql`(${same} or a."document_id" is null)` : same}${this.sameLocale(type, row, raw('a'))}`;
    };
    const [d, p] = [raw('d'), raw('p')];
    const isPublished = sql`p."published_at" is not null`;
    const published = sql`p."document_id" = d."document_id" and ${isPublished}${this.sameLocale(type, p, d)}`;
    const isNamed = (row: Sql, kinds: Sql) =>
      sql`exists (select 1 from ${actions} a where a."uid" = ${literal(type.uid)} and ${isAbout(row)}${kinds})`;
    const kinds = [
      sql`select d."id" as "draft_id", p."id" as "published_id", coalesce(p."id", ${FIRST_ID} + a."n") as "id", ${KINDS.publish} as "kind", d."document_id" as "document_id", d."locale" as "locale"
        from ${actions} a join ${table} d on d."published_at" is null and ${isAbout(d)} left join ${table} p on ${published} where ${isOf('publish')}`,
      sql`select null, p."id", null, ${KINDS.unpublish}, p."document_id", p."locale" from ${actions} a join ${table} p on ${isPublished} and ${isAbout(p)}
        where ${isOf('unpublish')} and not ${isNamed(p, raw(` and a."kind" = 'publish'`))}`,
    ];
    if (type.shares) {
      const documents = sql`select a."document_id" from ${actions} a where ${isOf('publish')}`;
      kinds.push(sql`select d."id", p."id", p."id", ${KINDS.peer}, p."document_id", p."locale" from ${table} p
        join ${table} d on d."published_at" is null and d."document_id" = p."document_id"${this.sameLocale(type, d, p)}
        where ${isPublished} and p."document_id" in (${documents}) and not ${isNamed(p, raw(''))}`);
    }
    return join(kinds, ' union all ');
  }

  /** Whether a component row is within a draft that the release publishes. */
  isInDraft(uid: string, row: Sql): Sql {
    return sql`${row} in (select c."id" from ${this.#parts!} c where c."uid" = ${literal(uid)})`;
  }

  #findParts(): Sql {
    const begin = this.#plan.tables.flatMap((table) => {
      if (table.kind !== 'components') return [];
      const isShared = inFields(sql`c."field"`, table.shared);
      return sql`select c."component_type" as "uid", c."cmp_id" as "id" from ${this.of(table.type)} v join ${id(table.table)} c on c."entity_id" = v."draft_id"
        where v."kind" = ${KINDS.publish} or (v."kind" = ${KINDS.peer} and ${isShared})`;
    });
    if (begin.length === 0) return sql`select '' as "uid", 0 as "id" where ${FALSE}`;
    const first = join(begin, ' union all ');
    const inner = this.#plan.nestings.map(
      ({ uid, table }) =>
        sql`select ${literal(uid)} as "holder", c."entity_id" as "entity_id", c."component_type" as "uid", c."cmp_id" as "id" from ${id(table)} c`,
    );
    if (inner.length === 0) return first;
    const nested = sql`select c."uid", c."id" from "parts" p join (${join(inner, ' union all ')}) c on c."holder" = p."uid" and c."entity_id" = p."id"`;
    return sql`select x."uid", x."id" from (with recursive "parts"("uid", "id") as (select b."uid", b."id" from (${first}) b union ${nested}) select * from "parts") x`;
  }
}

/** Whether links of a table begin in components. */
function linksParts(table: PreviewTable): boolean {
  if (table.kind === 'rows') return table.links.some(linksParts);
  return table.kind === 'links' && table.relations.some(({ from }) => from.isComponent);
}

const inFields = (field: Sql, names: readonly string[]): Sql =>
  names.length === 0 ? FALSE : sql`${field} in (${list(names.map(literal))})`;

function compileTable(versions: Versions, table: PreviewTable): readonly Sql[] {
  switch (table.kind) {
    case 'rows':
      return compileRows(versions, table);
    case 'components':
      return compileParts(versions, table.table, [{ ...table, key: 'entity_id', isOf: undefined }]);
    case 'files': {
      const ofTypes = table.types.map((one) => ({
        ...one,
        key: 'related_id',
        isOf: sql`c."related_type" = ${literal(one.type.uid)}`,
      }));
      return compileParts(versions, table.table, ofTypes);
    }
    case 'links':
      return compileLinks(versions, table);
  }
}

/** Rows of a table: of a type with drafts, or with columns that link such rows. */
function compileRows(versions: Versions, rows: Extract<PreviewTable, { kind: 'rows' }>): readonly Sql[] {
  const { table, type, columns, shared, firstPublished } = rows;
  const linked = linkedColumns(versions, rows.links);
  /** The columns of rows; `stored` is undefined for a row that is taken from a draft, whose links are all new. */
  const select = (row: Sql, columnValue: (column: string) => Sql, isNew = false): Sql => {
    const selected = columns.map((column) => {
      const value = linked.get(column)?.(row, isNew ? undefined : columnValue(column)) ?? columnValue(column);
      return sql`${value} as ${id(column)}`;
    });
    return list(selected);
  };
  const kept = sql`select ${select(raw('t."id"'), (column) => sql`t.${id(column)}`)} from ${id(table)} t`;
  if (!type) return [kept];
  const isChanged = versions.isAmong(type, raw('t."id"'), 'published_id', 'publish', 'unpublish', 'peer');
  const columnValue = (column: string): Sql => {
    const [draft, published] = [sql`d.${id(column)}`, sql`p.${id(column)}`];
    if (column === 'id') return raw('v."id"');
    if (column === 'published_at') return versions.now;
    if (column === firstPublished) return sql`coalesce(${draft}, ${versions.now})`;
    const isKept = column === 'created_at' || column === 'created_by_id';
    return isKept ? sql`case when p."id" is null then ${draft} else ${published} end` : draft;
  };
  const pair = sql`${versions.of(type)} v join ${id(table)} d on d."id" = v."draft_id" left join ${id(table)} p on p."id" = v."published_id"`;
  const taken = sql`select ${select(raw('v."id"'), columnValue, true)} from ${pair} where v."kind" = ${KINDS.publish}`;
  const all = [sql`${kept} where not ${isChanged}`, taken];
  if (!type.shares) return all;
  const names = new Set(shared);
  const mixed = select(raw('p."id"'), (column) => (names.has(column) ? sql`d.${id(column)}` : sql`p.${id(column)}`));
  return [...all, sql`select ${mixed} from ${pair} where v."kind" = ${KINDS.peer}`];
}

/** The value of a column of a row; `stored` is undefined for one whose links are all new. */
type LinkedColumn = (row: Sql, stored: Sql | undefined) => Sql;

/** The columns that hold links. */
function linkedColumns(versions: Versions, all: readonly PreviewLinks[]): ReadonlyMap<string, LinkedColumn> {
  const columns = new Map<string, LinkedColumn>();
  for (const links of all) {
    const { added, removed } = changedLinks(versions, links);
    const columnValue =
      (name: 'tgt' | 'type'): LinkedColumn =>
      (row, stored) => {
        const changed = sql`(select x.${id(name)} from ${added} x where x."src" = ${row} limit 1)`;
        if (!stored) return changed;
        const isGone = sql`${row} in (select g."id" from ${removed} g)`;
        return sql`coalesce(${changed}, case when ${isGone} then null else ${stored} end)`;
      };
    columns.set(links.target, columnValue('tgt'));
    if (links.any) columns.set(links.any.type, columnValue('type'));
  }
  return columns;
}

/** What rows hold in another table, as components and files. */
interface HeldRows {
  readonly type: PreviewType;
  readonly shared: readonly string[];
  /** The column of the row that holds it. */
  readonly key: string;
  /** Whether it is held by rows of the type; undefined: all are. */
  readonly isOf: Sql | undefined;
}

function compileParts(versions: Versions, table: string, held: readonly HeldRows[]): readonly Sql[] {
  const columns =
    held[0]?.key === 'related_id'
      ? ['id', 'file_id', 'related_id', 'related_type', 'field', 'order']
      : ['id', 'entity_id', 'cmp_id', 'component_type', 'field', 'order'];
  const select = (key: string, row: Sql): Sql =>
    list(columns.map((column) => (column === key ? sql`${row} as ${id(column)}` : sql`c.${id(column)}`)));
  const kept = held.map(({ type, shared, key, isOf }) => {
    const row = sql`c.${id(key)}`;
    const peer =
      shared.length === 0
        ? raw('')
        : sql` or (${inFields(sql`c."field"`, shared)} and ${versions.isAmong(type, row, 'published_id', 'peer')})`;
    const isReplaced = sql`(${versions.isAmong(type, row, 'published_id', 'publish')}${peer})`;
    return sql`not ${isOf ? sql`(${isOf} and ${isReplaced})` : isReplaced}`;
  });
  const taken = held.map(({ type, shared, key, isOf }) => {
    const isTaken = sql`(v."kind" = ${KINDS.publish} or (v."kind" = ${KINDS.peer} and ${inFields(sql`c."field"`, shared)}))`;
    return sql`select ${select(key, raw('v."id"'))} from ${versions.of(type)} v join ${id(table)} c on c.${id(key)} = v."draft_id" where ${all([isTaken, ...(isOf ? [isOf] : [])])}`;
  });
  return [
    sql`select ${list(columns.map((column) => sql`c.${id(column)}`))} from ${id(table)} c where ${all(kept)}`,
    ...taken,
  ];
}

function compileLinks(versions: Versions, links: PreviewLinks): readonly Sql[] {
  const { added, removed } = changedLinks(versions, links);
  const { table, source, target, order, inverseOrder, any } = links;
  const columns = [
    ['id', 'id'],
    [source, 'src'],
    [target, 'tgt'],
    ...(order === null ? [] : [[order, 'ord']]),
    ...(inverseOrder === null ? [] : [[inverseOrder, 'inv']]),
    ...(any ? [[any.type, 'type']] : []),
    ...(any?.field === undefined ? [] : [[any.field, 'field']]),
  ] as const;
  const stored = list(columns.map(([column]) => sql`l.${id(column!)}`));
  const now = list(columns.map(([column, name]) => sql`x.${id(name!)} as ${id(column!)}`));
  return [
    sql`select ${stored} from ${id(table)} l where l."id" not in (select g."id" from ${removed} g)`,
    sql`select ${now} from ${added} x`,
  ];
}

/** The links that appear, and the ids of those that disappear: of columns, the ids of their rows. */
function changedLinks(versions: Versions, links: PreviewLinks): { readonly added: Sql; readonly removed: Sql } {
  const relations = links.relations.map((relation) => new Relation(versions, links, relation).changes());
  const added = union(relations.map((one) => one.added));
  const removed = union(relations.flatMap((one) => one.removed));
  const { changes } = versions;
  return {
    added: changes.add(
      added ??
        sql`select 0 as "id", 0 as "src", 0 as "tgt", 0 as "ord", 0 as "inv", '' as "type", '' as "field" where ${FALSE}`,
      LINK,
    ),
    removed: changes.add(removed ?? sql`select 0 as "id" where ${FALSE}`, ROW),
  };
}

const union = (selects: readonly Sql[]): Sql | undefined =>
  selects.length === 0 ? undefined : join(selects, ' union all ');

/** The links of one attribute to one type. Aliases: `v` a changed version, `l` a stored link, `x` a new one. */
class Relation {
  readonly #versions: Versions;
  readonly #links: PreviewLinks;
  readonly #relation: PreviewRelation;
  readonly #stored: Sql;
  /** Links between drafts that wait for the publication of another draft. */
  readonly #foreign: Sql | undefined;
  /** Published links that drafts of the release have taken from documents outside of it. */
  readonly #taken: Sql | undefined;

  constructor(versions: Versions, links: PreviewLinks, relation: PreviewRelation) {
    this.#versions = versions;
    this.#links = links;
    this.#relation = relation;
    this.#stored = id(links.table);
    const { from, to, isTwoSided } = relation;
    if (!isTwoSided || (!from.type && !to.type)) return;
    this.#foreign = versions.changes.add(this.#foreignNotes(), PAIR);
    this.#taken = versions.changes.add(this.#takenLinks(), PAIR);
  }

  changes(): { readonly added: Sql; readonly removed: readonly Sql[] } {
    const { changes } = this.#versions;
    const first = [
      ...this.#ofSources(),
      ...this.#ofTargets(),
      ...this.#ofParts(),
      ...this.#pending(),
      ...this.#followers(),
    ];
    const changed = first.length === 0 ? undefined : changes.add(union(first)!, LINK);
    const staying = changed ? this.#staying(changed) : [];
    const both = union([...(changed ? [sql`select x.* from ${changed} x`] : []), ...staying]);
    const none = this.#select({
      id: raw('0'),
      source: raw('0'),
      target: raw('0'),
      order: raw('0'),
      inverse: raw('0'),
      field: raw(`''`),
    });
    const added = staying.length > 0 ? changes.add(both!, LINK) : changed;
    return {
      added: added
        ? sql`select x."id", x."src", x."tgt", x."ord", x."inv", x."type", x."field" from ${added} x`
        : sql`${none} where ${FALSE}`,
      removed: this.#removed(added),
    };
  }

  /** The ids of stored links that disappear. */
  #removed(added: Sql | undefined): readonly Sql[] {
    const { from, to, isTwoSided, oneTarget, oneSource } = this.#relation;
    const l = raw('l');
    const [source, target] = [this.#source(l), this.#target(l)];
    const of = (where: Sql): Sql => sql`select l."id" from ${this.#stored} l where ${where}${this.#isOwn(l)}`;
    const removed: Sql[] = [];
    if (from.type) removed.push(of(this.#isReplaced(from, source)));
    // a column without drafts names one of the two rows of a document, so its links stay until another takes the place
    const isMoved = this.#links.isColumn && !from.type;
    if (isTwoSided && to.type && !isMoved) removed.push(of(sql`${this.#isReplaced(to, target)}${this.#isShown(l)}`));
    if (added && oneTarget && isTwoSided) removed.push(of(sql`${source} in (select x."src" from ${added} x)`));
    if (added && oneSource) removed.push(of(sql`${target} in (select x."tgt" from ${added} x)`));
    if (this.#taken)
      removed.push(
        sql`select l."id" from ${this.#taken} k join ${this.#stored} l on ${source} = k."src" and ${target} = k."tgt"${this.#isOwn(l)}`,
      );
    return removed;
  }

  #source(row: Sql): Sql {
    return sql`${row}.${id(this.#links.source)}`;
  }

  #target(row: Sql): Sql {
    return sql`${row}.${id(this.#links.target)}`;
  }

  #table({ type }: PreviewEnd): Sql {
    return id(type!.table);
  }

  /** Whether the release publishes the draft with an id. */
  #isReleased({ type }: PreviewEnd, row: Sql): Sql {
    return type ? this.#versions.isAmong(type, row, 'draft_id', 'publish') : FALSE;
  }

  /** Whether the release puts a draft in the place of the published row with an id. */
  #isReplaced({ type }: PreviewEnd, row: Sql): Sql {
    return type ? this.#versions.isAmong(type, row, 'published_id', 'publish') : FALSE;
  }

  /** The same, or removes it. */
  #isChanged({ type }: PreviewEnd, row: Sql): Sql {
    return type ? this.#versions.isAmong(type, row, 'published_id', 'publish', 'unpublish') : FALSE;
  }

  #isPublication(): Sql {
    return sql`v."kind" = ${KINDS.publish}`;
  }

  #versionsOf({ type }: PreviewEnd): Sql {
    return this.#versions.of(type!);
  }

  /** Whether a stored link is of this relation, as a further condition. */
  #isOwn(row: Sql): Sql {
    const { any } = this.#links;
    return any ? sql` and ${row}.${id(any.type)} = ${literal(this.#relation.to.uid)}` : raw('');
  }

  /** Whether documents of the target show a stored link, as a further condition. */
  #isShown(row: Sql): Sql {
    const field = this.#links.any?.field;
    return field === undefined
      ? raw('')
      : sql` and ${inFields(sql`${row}.${id(field)}`, this.#relation.shownAs ?? [])}`;
  }

  /** The columns of a new link. */
  #select(values: { id: Sql; source: Sql; target: Sql; order: Sql; inverse: Sql; field: Sql }): Sql {
    const { source, target, field } = values;
    const numbers = sql`${number(values.id)} as "id", ${source} as "src", ${target} as "tgt", ${number(values.order)} as "ord", ${number(values.inverse)} as "inv"`;
    return sql`select ${numbers}, ${literal(this.#relation.to.uid)} as "type", ${field} as "field"`;
  }

  #order(row: Sql): Sql {
    const { order } = this.#links;
    return order === null ? raw('0') : sql`coalesce(${row}.${id(order)}, 0)`;
  }

  #inverse(row: Sql): Sql {
    const { inverseOrder } = this.#links;
    return inverseOrder === null ? raw('0') : sql`coalesce(${row}.${id(inverseOrder)}, 0)`;
  }

  #field(row: Sql): Sql {
    const field = this.#links.any?.field;
    return field === undefined ? raw(`''`) : sql`${row}.${id(field)}`;
  }

  #sameField(): Sql {
    return this.#links.any?.field === undefined ? raw('') : sql` and ${this.#field(raw('p'))} = x."field"`;
  }

  /** The row that stands for the version of a row, if it has one; rows of types without drafts stand for themselves. */
  #live(end: PreviewEnd, row: Sql): Sql {
    const { type } = end;
    if (!type) return row;
    const released = sql`(select w."id" from ${this.#versions.of(type)} w where w."draft_id" = ${row} and w."kind" = ${KINDS.publish})`;
    const isRemoved = this.#versions.isAmong(type, raw('lp."id"'), 'published_id', 'unpublish');
    return sql`coalesce(${released}, (select lp."id" from ${this.#pair(end, raw('ld'), raw('lp'))} where ld."id" = ${row} and not ${isRemoved} limit 1))`;
  }

  /** The drafts and published rows of the versions of an end. */
  #pair(end: PreviewEnd, draft: Sql, published: Sql): Sql {
    return sql`${this.#table(end)} ${draft} ${this.#joinPublished(end, draft, published)}`;
  }

  /** The same, joined to a row of the statement. */
  #joinPair(end: PreviewEnd, draft: Sql, published: Sql, on: Sql): Sql {
    return sql`join ${this.#table(end)} ${draft} on ${on} ${this.#joinPublished(end, draft, published)}`;
  }

  #joinPublished(end: PreviewEnd, draft: Sql, published: Sql): Sql {
    return sql`join ${this.#table(end)} ${published} on ${draft}."published_at" is null and ${published}."document_id" = ${draft}."document_id" and ${published}."published_at" is not null${this.#versions.sameLocale(end.type!, published, draft)}`;
  }

  #foreignNotes(): Sql {
    const { attribute, from, to } = this.#relation;
    const ends = from.uid === to.uid ? [from] : [from, to];
    const authors = ends.flatMap((end) => {
      if (!end.type) return [];
      const pair = this.#pair(end, raw('ad'), raw('ap'));
      const isEven = sql`exists (select 1 from ${pair} where ad."id" = n."author_id" and coalesce(ad."updated_at", ap."updated_at") <= ap."updated_at")`;
      const isThere = sql`exists (select 1 from ${this.#table(end)} ax where ax."id" = n."author_id")`;
      return sql`(n."author_type" = ${literal(end.uid)} and ${isThere} and not ${this.#isReleased(end, raw('n."author_id"'))} and not ${isEven})`;
    });
    return sql`select n."source_id" as "src", n."target_id" as "tgt" from ${id(DRAFT_LINKS_TABLE)} n
      where n."source_type" = ${literal(from.uid)} and n."attribute" = ${literal(attribute)} and n."target_type" = ${literal(to.uid)} and (${join(authors, ' or ')})`;
  }

  #isForeign(source: Sql, target: Sql): Sql {
    return sql`exists (select 1 from ${this.#foreign!} f where f."src" = ${source} and f."tgt" = ${target})`;
  }

  /** The links of sources that are taken from their drafts. */
  #ofSources(): Sql[] {
    const { from, to, isTwoSided } = this.#relation;
    if (!from.type) return [];
    const [l, p] = [raw('l'), raw('p')];
    const both = isTwoSided ? this.#isReleased(to, this.#target(l)) : FALSE;
    const inner = sql`select l."id" as "id", ${this.#source(l)} as "draft_src", v."published_id" as "pub_src", v."id" as "src",
      ${this.#target(l)} as "draft_tgt", ${this.#live(to, this.#target(l))} as "tgt", ${this.#order(l)} as "ord", ${this.#inverse(l)} as "inv",
      ${this.#field(l)} as "field", case when ${both} then 1 else 0 end as "both"
      from ${this.#versionsOf(from)} v join ${this.#stored} l on ${this.#source(l)} = v."draft_id"${this.#isOwn(l)} where ${this.#isPublication()}`;
    const published = sql`left join ${this.#stored} p on ${this.#source(p)} = x."pub_src" and ${this.#target(p)} = x."tgt"${this.#isOwn(p)}${this.#sameField()}`;
    const hasInverse = this.#links.inverseOrder !== null;
    const isPlaced = hasInverse ? sql`(x."both" = 1 or p."id" is not null)` : sql`1 = 1`;
    const inverse = sql`case when x."both" = 1 then x."inv" when p."id" is not null then ${this.#inverse(p)} else coalesce(${this.#nextInverse()}, ${LAST}) end`;
    const selected = this.#select({
      id: sql`case when ${isPlaced} then x."id" else x."inv" - 1e9 end`,
      source: sql`x."src"`,
      target: sql`x."tgt"`,
      order: sql`x."ord"`,
      inverse: hasInverse ? inverse : raw('0'),
      field: sql`x."field"`,
    });
    const waits = isTwoSided
      ? sql` and (p."id" is not null or not ${this.#isForeign(sql`x."draft_src"`, sql`x."draft_tgt"`)})`
      : raw('');
    return [sql`${selected} from (${inner}) x ${published} where x."tgt" is not null${waits}`];
  }

  /** The place of the first link that follows in the draft's list of the target, and that is published too. */
  #nextInverse(): Sql {
    const { from } = this.#relation;
    const [f, g] = [raw('f'), raw('g')];
    return sql`(select ${this.#inverse(g)} from ${this.#stored} f ${this.#joinPair(from, raw('nd'), raw('np'), sql`nd."id" = ${this.#source(f)}`)}
      join ${this.#stored} g on ${this.#source(g)} = np."id" and ${this.#target(g)} = x."tgt"
      where ${this.#target(f)} = x."draft_tgt" and ${this.#inverse(f)} > x."inv" order by ${this.#inverse(f)}, f."id" limit 1)`;
  }

  /** The same in the list of the source. */
  #nextOrder(): Sql {
    const { to } = this.#relation;
    const [f, g] = [raw('f'), raw('g')];
    return sql`(select ${this.#order(g)} from ${this.#stored} f ${this.#joinPair(to, raw('nd'), raw('np'), sql`nd."id" = ${this.#target(f)}`)}
      join ${this.#stored} g on ${this.#target(g)} = np."id" and ${this.#source(g)} = x."src"${this.#isOwn(g)}
      where ${this.#source(f)} = x."draft_src" and ${this.#order(f)} > x."ord"${this.#isOwn(f)} order by ${this.#order(f)}, f."id" limit 1)`;
  }

  /** The links of targets that are taken from their drafts, to sources that are not. */
  #ofTargets(): Sql[] {
    const { from, to, isTwoSided, attribute } = this.#relation;
    if (!isTwoSided || !to.type) return [];
    const [l, p] = [raw('l'), raw('p')];
    const inner = sql`select l."id" as "id", ${this.#source(l)} as "draft_src", ${this.#live(from, this.#source(l))} as "src", v."published_id" as "pub_tgt",
      v."id" as "tgt", ${this.#target(l)} as "draft_tgt", v."document_id" as "document_id", v."locale" as "locale", ${this.#order(l)} as "ord", ${this.#inverse(l)} as "inv", ${this.#field(l)} as "field"
      from ${this.#versionsOf(to)} v join ${this.#stored} l on ${this.#target(l)} = v."draft_id"${this.#isOwn(l)}${this.#isShown(l)}
      where ${this.#isPublication()} and not ${this.#isReleased(from, this.#source(l))}`;
    const published = sql`left join ${this.#stored} p on ${this.#source(p)} = x."src" and ${this.#target(p)} = x."pub_tgt"${this.#isOwn(p)}${this.#sameField()}`;
    const locale = to.type.localized ? sql` and w."target_locale" = x."locale"` : raw('');
    const waiting = sql`left join ${id(PENDING_TABLE)} w on x."pub_tgt" is null and w."source_type" = ${literal(from.uid)} and w."source_id" = x."src"
      and w."attribute" = ${literal(attribute)} and w."target_type" = ${literal(to.uid)} and w."target_document_id" = x."document_id"${locale}`;
    const isKnown = sql`(p."id" is not null or w."id" is not null)`;
    const isPlaced = from.type ? isKnown : sql`(${isKnown} or x."pub_tgt" is null)`;
    const follows = from.type ? raw('') : sql` when x."pub_tgt" is null then x."ord"`;
    const order = sql`case when p."id" is not null then ${this.#order(p)} when w."id" is not null then coalesce(w."link_order", 0)${follows} else coalesce(${this.#nextOrder()}, ${LAST}) end`;
    const hasOrder = this.#links.order !== null;
    const selected = this.#select({
      id: sql`case when ${hasOrder ? isPlaced : sql`1 = 1`} then x."id" else x."ord" - 1e9 end`,
      source: sql`x."src"`,
      target: sql`x."tgt"`,
      order: hasOrder ? order : raw('0'),
      inverse: sql`x."inv"`,
      field: sql`x."field"`,
    });
    const waits = sql`(${isKnown} or not ${this.#isForeign(sql`x."draft_src"`, sql`x."draft_tgt"`)})`;
    return [sql`${selected} from (${inner}) x ${published} ${waiting} where x."src" is not null and ${waits}`];
  }

  /** The links of components in drafts that are published, to documents with drafts. */
  #ofParts(): Sql[] {
    const { from, to } = this.#relation;
    if (!from.isComponent || !to.type) return [];
    const l = raw('l');
    const inner = sql`select l."id" as "id", ${this.#source(l)} as "src", ${this.#live(to, this.#target(l))} as "tgt", ${this.#order(l)} as "ord", ${this.#inverse(l)} as "inv", ${this.#field(l)} as "field"
      from ${this.#stored} l where ${this.#versions.isInDraft(from.uid, this.#source(l))}${this.#isOwn(l)}`;
    return [sql`${this.#selectX()} from (${inner}) x where x."tgt" is not null`];
  }

  #selectX(): Sql {
    const x = (name: string): Sql => sql`x.${id(name)}`;
    return this.#select({
      id: x('id'),
      source: x('src'),
      target: x('tgt'),
      order: x('ord'),
      inverse: x('inv'),
      field: x('field'),
    });
  }

  /** Links of published rows that wait for a document which the release publishes for the first time. */
  #pending(): Sql[] {
    const { attribute, from, to, isTwoSided } = this.#relation;
    if (!to.type || (isTwoSided && !from.type)) return [];
    const source = sql`w."source_id"`;
    const where = [this.#isPublication(), sql`v."published_id" is null`];
    where.push(
      sql`w."source_type" = ${literal(from.uid)}`,
      sql`w."attribute" = ${literal(attribute)}`,
      sql`w."target_type" = ${literal(to.uid)}`,
    );
    if (from.type) where.push(sql`not ${this.#isChanged(from, source)}`);
    if (isTwoSided) {
      // a link that the draft still has is among those of the target; one that it has not is removed, unless that waits
      const draft = sql`(select sd."id" from ${this.#pair(from, raw('sd'), raw('sp'))} where sp."id" = ${source} limit 1)`;
      const l = raw('l');
      const isLinked = sql`exists (select 1 from ${this.#stored} l where ${this.#source(l)} = ${draft} and ${this.#target(l)} = v."draft_id"${this.#isOwn(l)}${this.#isShown(l)})`;
      // links that the other side does not show are not copied from there
      const isHidden =
        this.#links.any?.field === undefined
          ? FALSE
          : sql`not ${inFields(literal(attribute), this.#relation.shownAs ?? [])}`;
      where.push(sql`(${isHidden} or (not ${isLinked} and ${this.#isForeign(draft, sql`v."draft_id"`)}))`);
    }
    const selected = this.#select({
      id: sql`w."id"`,
      source,
      target: sql`v."id"`,
      order: sql`coalesce(w."link_order", 0)`,
      inverse: sql`coalesce(w."inverse_order", 0)`,
      field: literal(attribute),
    });
    const locale = to.type.localized ? sql` and w."target_locale" = v."locale"` : raw('');
    return [
      sql`${selected} from ${this.#versionsOf(to)} v join ${id(PENDING_TABLE)} w on w."target_document_id" = v."document_id"${locale} where ${all(where)}`,
    ];
  }

  /** Links to drafts that lead to the published row as well, once there is one. */
  #followers(): Sql[] {
    const { attribute, from, to, isTwoSided, oneTarget } = this.#relation;
    if (!to.type || (isTwoSided && this.#links.any?.field === undefined)) return [];
    const [l, p] = [raw('l'), raw('p')];
    const where = [this.#isPublication(), sql`v."published_id" is null`];
    let source = this.#source(l);
    if (from.isComponent) where.push(sql`not ${this.#versions.isInDraft(from.uid, source)}`);
    else if (from.type) {
      source = sql`(select sp."id" from ${this.#pair(from, raw('sd'), raw('sp'))} where sd."id" = ${this.#source(l)} and coalesce(sd."updated_at", sp."updated_at") <= sp."updated_at" limit 1)`;
    }
    if (isTwoSided) where.push(sql`not (1 = 1${this.#isShown(l)})`);
    const inner = sql`select l."id" as "id", ${source} as "src", v."id" as "tgt", v."draft_id" as "draft_tgt", v."document_id" as "document_id", ${this.#order(l)} as "ord", ${this.#inverse(l)} as "inv", ${this.#field(l)} as "field"
      from ${this.#versionsOf(to)} v join ${this.#stored} l on ${this.#target(l)} = v."draft_id"${this.#isOwn(l)} where ${all(where)}`;
    const rest = [sql`x."src" is not null`];
    if (from.type) {
      rest.push(sql`not ${this.#isChanged(from, sql`x."src"`)}`);
      rest.push(sql`not exists (select 1 from ${id(PENDING_TABLE)} w where w."source_type" = ${literal(from.uid)} and w."source_id" = x."src" and w."attribute" = ${literal(attribute)}
        and w."target_type" = ${literal(to.uid)} and w."target_document_id" = x."document_id")`);
    }
    if (oneTarget && !this.#links.isColumn) {
      rest.push(
        sql`not exists (select 1 from ${this.#stored} p where ${this.#source(p)} = x."src" and ${this.#target(p)} <> x."draft_tgt"${this.#isOwn(p)})`,
      );
    } else if (this.#links.isColumn && from.type) {
      rest.push(
        sql`not exists (select 1 from ${this.#stored} p where ${this.#source(p)} = x."src" and ${this.#target(p)} is not null)`,
      );
    }
    return [sql`${this.#selectX()} from (${inner}) x where ${all(rest)}`];
  }

  #takenLinks(): Sql {
    const { attribute, from, to } = this.#relation;
    const ends = (from.uid === to.uid ? [from] : [from, to]).filter(({ type }) => type);
    const isAuthor = ends.map(
      (end) => sql`(n."author_type" = ${literal(end.uid)} and ${this.#isReleased(end, raw('n."author_id"'))})`,
    );
    const publishedOf = (end: PreviewEnd, row: Sql): Sql =>
      end.type
        ? sql`(select kp."id" from ${this.#pair(end, raw('kd'), raw('kp'))} where kd."id" = ${row} limit 1)`
        : row;
    const l = raw('l');
    const where = [
      sql`n."source_type" = ${literal(from.uid)} and n."attribute" = ${literal(attribute)} and n."target_type" = ${literal(to.uid)}`,
      sql`(${join(isAuthor, ' or ')})`,
      sql`not (n."author_type" = n."source_type" and n."author_id" = n."source_id")`,
      sql`not (n."author_type" = n."target_type" and n."author_id" = n."target_id")`,
      sql`not exists (select 1 from ${this.#stored} l where ${this.#source(l)} = n."source_id" and ${this.#target(l)} = n."target_id"${this.#isOwn(l)})`,
    ];
    const pairs = sql`select ${publishedOf(from, raw('n."source_id"'))} as "src", ${publishedOf(to, raw('n."target_id"'))} as "tgt" from ${id(DRAFT_LINKS_TABLE)} n where ${all(where)}`;
    return sql`select k."src", k."tgt" from (${pairs}) k where k."src" is not null and k."tgt" is not null`;
  }

  /** Published links of a version of the release that only another document's draft has removed. */
  #staying(changed: Sql): Sql[] {
    const { from, to, isTwoSided, oneTarget, oneSource } = this.#relation;
    if (!isTwoSided || !from.type || !to.type) return [];
    const [p, l] = [raw('p'), raw('l')];
    const rest = [
      sql`not exists (select 1 from ${this.#stored} l where ${this.#source(l)} = f."src" and ${this.#target(l)} = f."tgt"${this.#isOwn(l)})`,
      sql`not exists (select 1 from ${this.#taken!} k where k."src" = ${this.#source(p)} and k."tgt" = ${this.#target(p)})`,
    ];
    if (oneTarget) rest.push(sql`${this.#source(p)} not in (select x."src" from ${changed} x)`);
    if (oneSource) rest.push(sql`${this.#target(p)} not in (select x."tgt" from ${changed} x)`);
    const select = (order: Sql, inverse: Sql) =>
      this.#select({
        id: sql`p."id"`,
        source: this.#source(p),
        target: this.#target(p),
        order,
        inverse,
        field: this.#field(p),
      });
    const [order, inverse] = [this.#order(p), this.#inverse(p)];
    const ofSource = sql`${select(sql`${order} + ${LAST}`, inverse)} from ${this.#versionsOf(from)} v join ${this.#foreign!} f on f."src" = v."draft_id"
      ${this.#joinPair(to, raw('od'), raw('op'), sql`od."id" = f."tgt"`)} join ${this.#stored} p on ${this.#source(p)} = v."published_id" and ${this.#target(p)} = op."id"${this.#isOwn(p)}
      where ${this.#isPublication()} and not ${this.#isChanged(to, raw('op."id"'))} and ${all(rest)}`;
    const ofTarget = sql`${select(order, sql`${inverse} + ${LAST}`)} from ${this.#versionsOf(to)} v join ${this.#foreign!} f on f."tgt" = v."draft_id"
      ${this.#joinPair(from, raw('od'), raw('op'), sql`od."id" = f."src"`)} join ${this.#stored} p on ${this.#target(p)} = v."published_id" and ${this.#source(p)} = op."id"${this.#isOwn(p)}${this.#isShown(p)}
      where ${this.#isPublication()} and not ${this.#isChanged(from, raw('op."id"'))} and ${all(rest)}`;
    return [ofSource, ofTarget];
  }
}

const number = (value: Sql): Sql => sql`cast(${value} as double precision)`;
