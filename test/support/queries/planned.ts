/** Queries on a small catalog that is made up of schema texts, planned, and their plans in a short form. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { permitQuery } from '../../../src/access/authorize.ts';
import { Views } from '../../../src/access/views.ts';
import { type Planned, planRead, type ReadSlots } from '../../../src/plan/read.ts';
import type {
  FileMarks,
  Member,
  PageSize,
  PlanCondition,
  PlanOrder,
  RowTest,
  Target,
} from '../../../src/plan/read-plan.ts';
import { Budget } from '../../../src/query/budget.ts';
import { parseParams } from '../../../src/query/params.ts';
import { parseQuery } from '../../../src/query/parse.ts';
import type { Catalog, ContentType } from '../../../src/schema/catalog.ts';
import { type Layout, layOut } from '../../../src/schema/layout/layout.ts';
import { loadCatalog } from '../../../src/schema/load.ts';

const DRAFTS = '"options": {"draftAndPublish": true}';
const LOCALES = '"pluginOptions": {"i18n": {"localized": true}}';
const localized = (type: string) => `{"type": "${type}", ${LOCALES}}`;
const relation = (kind: string, target: string, side = '') =>
  `{"type": "relation", "relation": "${kind}", "target": "api::${target}.${target}"${side && `, ${side}`}}`;

/** Attributes by type: articles have drafts and locales, tags drafts alone, authors neither. */
const TYPES: Readonly<Record<string, string>> = {
  article: `${DRAFTS}, ${LOCALES}, "attributes": {
    "title": ${localized('string')}, "body": ${localized('richtext')}, "views": {"type": "integer"},
    "big": {"type": "biginteger"}, "price": {"type": "decimal"}, "featured": {"type": "boolean"}, "day": {"type": "date"},
    "meta": {"type": "json"}, "hidden": {"type": "string", "private": true},
    "author": ${relation('manyToOne', 'author', '"inversedBy": "articles"')},
    "tags": ${relation('manyToMany', 'tag', '"inversedBy": "articles"')},
    "cover": {"type": "media"}, "gallery": {"type": "media", "multiple": true},
    "seo": {"type": "component", "component": "shared.seo"},
    "links": {"type": "component", "component": "shared.link", "repeatable": true},
    "zone": {"type": "dynamiczone", "components": ["shared.seo", "shared.link"]}}`,
  author: `"attributes": {"name": {"type": "string"}, "age": {"type": "integer"},
    "articles": ${relation('oneToMany', 'article', '"mappedBy": "author"')},
    "home": ${relation('oneToOne', 'place')}}`,
  tag: `${DRAFTS}, "attributes": {"name": {"type": "string"}, "weight": {"type": "integer"},
    "articles": ${relation('manyToMany', 'article', '"mappedBy": "tags"')}}`,
  place: `"attributes": {"code": {"type": "string"},
    "notes": {"type": "relation", "relation": "morphMany", "target": "api::note.note", "morphBy": "about"}}`,
  shop: `"attributes": {"name": {"type": "string"}, "code": {"type": "string", "unique": true}}`,
  note: `"attributes": {"text": {"type": "text"}, "about": {"type": "relation", "relation": "morphToOne"},
    "subjects": {"type": "relation", "relation": "morphToMany"}}`,
  home: `"kind": "singleType", ${LOCALES}, "attributes": {"title": ${localized('string')}}`,
};
const COMPONENTS: Readonly<Record<string, string>> = {
  'shared.seo': '"attributes": {"metaTitle": {"type": "string"}}',
  'shared.link': `"attributes": {"label": {"type": "string"}, "target": ${relation('oneToOne', 'article')}}`,
};

/** Reads the schema texts as a project folder has them. */
function readCatalog(): Catalog {
  const dir = mkdtempSync(path.join(tmpdir(), 'galley-plan-'));
  const write = (file: string, text: string): void => {
    mkdirSync(path.join(dir, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(dir, file), text);
  };
  try {
    for (const [name, text] of Object.entries(TYPES)) {
      const info = `"info": {"singularName": "${name}", "pluralName": "${name}s", "displayName": "${name}"}`;
      const kind = text.includes('"kind"') ? '' : '"kind": "collectionType", ';
      const schema = `{${kind}"collectionName": "${name}s", ${info}, ${text}}`;
      write(`src/api/${name}/content-types/${name}/schema.json`, schema);
    }
    for (const [uid, text] of Object.entries(COMPONENTS)) {
      const [, name] = uid.split('.');
      const info = `"info": {"displayName": "${name}"}`;
      write(`src/components/${uid.replace('.', '/')}.json`, `{"collectionName": "cmp_${name}s", ${info}, ${text}}`);
    }
    return loadCatalog(dir);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

export const catalog: Catalog = readCatalog();
export const layout: Layout = layOut(catalog);
const views = new Views(catalog);

/** The content type of a singular name; files are `file`. */
export function typeOf(name: string): ContentType {
  const uid = name === 'file' ? 'plugin::upload.file' : `api::${name}.${name}`;
  return catalog.contentTypes.get(uid)!;
}

/** What is read beside what the query string says. */
export interface Asked {
  readonly locales?: readonly string[];
  readonly documentId?: string;
  readonly rowId?: number;
  /** A list of so many, unless a document or row is asked for. */
  readonly size?: PageSize;
  readonly count?: boolean;
  readonly flags?: Readonly<Record<string, boolean>>;
  readonly marks?: FileMarks;
}

export type PlannedQuery = Planned & { readonly values: readonly unknown[]; readonly budget: Budget };

/** Plans `article?filters[title]=a` for a caller who may do everything. */
export function planText(text: string, asked: Asked = {}): PlannedQuery {
  const [name = '', search = ''] = text.split(/\?(.*)/);
  const type = typeOf(name);
  const parsed = parseQuery(parseParams(search));
  const values = [...parsed.values];
  const slotOf = (value: unknown): number => values.push(value) - 1;
  const { documentId, rowId } = asked;
  const isList = documentId === undefined && rowId === undefined;
  const slots: ReadSlots = {
    locales: asked.locales?.map(slotOf),
    documentId: documentId === undefined ? undefined : slotOf(documentId),
    rowId: rowId === undefined ? undefined : slotOf(rowId),
    page: isList
      ? { limit: slotOf(25), offset: slotOf(0), count: asked.count ?? true, size: asked.size ?? 'small' }
      : undefined,
    flags: asked.flags,
  };
  const budget = new Budget();
  const query = permitQuery(views.full.view, type, parsed.query, budget);
  return { ...planRead(catalog, layout, query, slots, asked.marks), values, budget };
}

/** `published, locale "en"`. */
export function printTests(tests: readonly RowTest[], values: readonly unknown[]): string {
  return tests.map((test) => printTest(test, values)).join(', ');
}

function printTest(test: RowTest, values: readonly unknown[]): string {
  switch (test.kind) {
    case 'published':
      return test.is ? 'published' : 'draft';
    case 'documentId':
    case 'rowId':
      return `${test.kind} ${JSON.stringify(values[test.slot])}`;
    case 'locale':
      return `locale ${test.slots.map((slot) => JSON.stringify(values[slot])).join('|')}`;
    case 'sibling': {
      const { exists, published, sameLocale, table, modified } = test;
      const row = `${published ? 'published' : 'draft'} row of ${table} in ${sameLocale ? 'its' : 'any'} locale`;
      const compared = modified === undefined ? '' : modified ? ' that differs' : ' that is the same';
      return `${exists ? 'has' : 'lacks'} ${row}${compared}`;
    }
  }
}

/** The table that a step leads to, by way of what, and the tests of its rows. */
function printTarget({ step, table, tests }: Target, values: readonly unknown[]): string {
  const { kind, ...parts } = step;
  const way = Object.values(parts).filter((part) => part !== null);
  const said = tests.length > 0 ? `[${printTests(tests, values)}]` : '';
  return `${table}${said} by ${[kind, ...way].join(' ')}`;
}

/** Tests as `column operator values`, with what they must be where that is not `true`. */
export function printCondition(condition: PlanCondition | undefined, values: readonly unknown[]): string {
  switch (condition?.kind) {
    case undefined:
      return 'everything';
    case 'constant':
      return String(condition.value);
    case 'and':
    case 'or':
      return `(${condition.items.map((item) => printCondition(item, values)).join(condition.kind === 'and' ? ' & ' : ' | ')})`;
    case 'test': {
      const { column, operator, slots, outcome } = condition;
      const operands = slots.map((slot) => JSON.stringify(values[slot])).join(', ');
      const must = { true: '', false: ' is false', notFalse: ' is not false', notTrue: ' is not true' }[outcome];
      return `${column} ${operator}${operands && ` ${operands}`}${must}`;
    }
    case 'exists': {
      const { target, item, orNone } = condition;
      return `some${orNone ? ' or no' : ''} ${printTarget(target, values)} {${printCondition(item, values)}}`;
    }
    case 'none': {
      const { target, item } = condition;
      return `no ${printTarget(target, values)}${item ? ` {${printCondition(item, values)}}` : ''}`;
    }
  }
}

/** `column of table by … desc`. */
export function printOrder(orders: readonly PlanOrder[], values: readonly unknown[]): string {
  const printed = orders.map(({ targets, toMany, column, type, descending }) => {
    const ways = targets.map((target) => ` of ${printTarget(target, values)}`).join('');
    return `${column} ${type}${ways}${toMany ? ' (first of many)' : ''}${descending ? ' desc' : ''}`;
  });
  return printed.join('; ');
}

/** `key`, `key=column` where they differ, `key: many table by … {…}`. */
export function printMembers(members: readonly Member[], values: readonly unknown[]): string {
  return members.map((member) => printMember(member, values)).join(' ');
}

function printMember(member: Member, values: readonly unknown[]): string {
  switch (member.kind) {
    case 'column':
      return member.key === member.column ? member.key : `${member.key}=${member.column}`;
    case 'address':
      return `${member.key}=signed(${member.column})`;
    case 'signed':
      return `${member.key}=signed?`;
    case 'label':
      return `${member.key}='${member.text}'`;
    case 'flag':
      return `${member.key}=${member.value}`;
    case 'related': {
      const { key, cardinality, target, where, order } = member;
      const narrowed = where ? ` where ${printCondition(where, values)}` : '';
      const sorted = order.length > 0 ? ` sorted by ${printOrder(order, values)}` : '';
      const shown = cardinality === 'count' ? '' : ` {${printMembers(member.members, values)}}`;
      return `${key}: ${cardinality} ${printTarget(target, values)}${narrowed}${sorted}${shown}`;
    }
    case 'parts': {
      const { key, cardinality, source, parts } = member;
      const printed = parts.map(({ table, tests, where, members }) => {
        const said = tests.length > 0 ? `[${printTests(tests, values)}]` : '';
        const narrowed = where ? ` where ${printCondition(where, values)}` : '';
        return `${table}${said}${narrowed} {${printMembers(members, values)}}`;
      });
      return `${key}: ${cardinality} by ${Object.values(source).join(' ')} (${printed.join(' | ')})`;
    }
  }
}
