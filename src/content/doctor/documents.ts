/** Rows of documents that do not fit together: drafts that are missing, rows that are there twice, wrong locales. */
import type { Row } from '../../db/interface/queryable.ts';
import { programText } from '../../own-files.ts';
import { type ContentType, isScalar, modelOf } from '../../schema/catalog.ts';
import { layoutOf, type ModelLayout } from '../../schema/layout/layout.ts';
import { SchemaIndex } from '../../schema/schema-index.ts';
import type { Dialect } from '../../sql/dialect.ts';
import {
  compileAloneWithLocale,
  compileDoubled,
  compileUnknownLocale,
  compileUnnamed,
  compileWithoutDraft,
  compileWithoutLocale,
} from '../../sql/doctor/documents.ts';
import {
  type ComparedComponent,
  compileColumnDiffers,
  compileDifferingLocales,
  compileEntriesDiffer,
  compileFilesDiffer,
  compilePasswordDiffers,
} from '../../sql/doctor/shared.ts';
import type { Sql, SqlValue } from '../../sql/fragment.ts';
import { draftFrom } from '../publication/publication.ts';
import { readRows } from '../rows/document-rows.ts';
import type { WriteContext } from '../rows/write-context.ts';
import { type Check, clearing, idsOf } from './check.ts';
import type { Subject } from './orphans.ts';

/** Checks of every content type. `defaultLocale` is set in rows of localized types without a locale. */
export function documentChecks({ catalog, layout }: Subject, defaultLocale: string): Check[] {
  return [...catalog.contentTypes.values()].flatMap((type) => {
    const { table } = layoutOf(layout, type.uid);
    const checks = [unnamed(table)];
    checks.push(...(type.localized ? localizedChecks(type, table, defaultLocale) : [straying(type, table)]));
    if (type.draftAndPublish) checks.push(withoutDraft(type, table));
    checks.push(doubled(type, table));
    return checks;
  });
}

const COLUMNS = ['id', 'document_id', 'locale'];

function unnamed(table: string): Check {
  return {
    kind: 'unnamed',
    problem: 'row without a document id',
    table,
    columns: ['id'],
    find: compileUnnamed(table),
    advice: 'give it a document id of its own, or delete it',
  };
}

function withoutDraft(type: ContentType, table: string): Check {
  return {
    kind: 'draft',
    problem: 'published row without a draft',
    table,
    columns: COLUMNS,
    find: compileWithoutDraft(type, table),
    repair: { does: 'create the draft from it', apply: (context, rows) => makeDrafts(context, type, rows) },
  };
}

async function makeDrafts(context: WriteContext, type: ContentType, published: readonly Row[]): Promise<void> {
  const created = new Set<string>();
  for (const [rowId, documentId, locale] of published) {
    // of two published rows of one version the first gets the draft, which then serves both
    const version = JSON.stringify([documentId, type.localized ? locale : null]);
    if (documentId === null || created.has(version)) continue;
    created.add(version);
    const { rows } = await readRows(context, type, String(documentId));
    const source = rows.find((row) => row.id === Number(rowId));
    if (source) await draftFrom(context, type, String(documentId), source);
  }
}

function doubled(type: ContentType, table: string): Check {
  const keys = ['document_id', ...(type.localized ? ['locale'] : [])];
  return {
    kind: 'doubled',
    problem: 'several rows of one version',
    table,
    columns: [...keys, ...(type.draftAndPublish ? ['state'] : []), 'rows'],
    find: compileDoubled(type, table, keys),
    advice: 'delete all but one: only you can decide which',
  };
}

function straying(type: ContentType, table: string): Check {
  return {
    kind: 'locale',
    problem: 'locale on a type without locales',
    table,
    columns: COLUMNS,
    find: compileAloneWithLocale(type, table),
    repair: clearing(table, ['locale']),
  };
}

function localizedChecks(type: ContentType, table: string, defaultLocale: string): Check[] {
  const locale = new Map<string, SqlValue>([['locale', defaultLocale]]);
  return [
    {
      kind: 'locale',
      problem: 'no locale on a localized type',
      table,
      columns: COLUMNS,
      find: compileWithoutLocale(type, table, false),
      values: [defaultLocale],
      repair: {
        does: `set locale to ${defaultLocale}, the default`,
        apply: (context, rows) => context.tables.update(table, locale, { id: idsOf(rows) }),
      },
    },
    {
      kind: 'locale',
      problem: 'no locale, and the default one is taken',
      table,
      columns: COLUMNS,
      find: compileWithoutLocale(type, table, true),
      values: [defaultLocale],
      advice: 'delete it, or set its locale',
    },
    {
      kind: 'locale',
      problem: 'unknown locale',
      table,
      columns: COLUMNS,
      find: compileUnknownLocale(table),
      advice: `${programText()} locale add, or delete these versions`,
    },
  ];
}

const ADVICE = 'publish the locale that is correct: its values are then copied to the others';

/** Checks of every localized type. Only a person can decide which of two values is right. */
export function sharedChecks(subject: Subject, dialect: Dialect): Check[] {
  const index = new SchemaIndex(subject.catalog);
  return [...subject.catalog.contentTypes.values()].flatMap((type) => {
    const layout = layoutOf(subject.layout, type.uid);
    return [...index.sharedAttributes(type.uid)].map((name): Check => {
      const differ = difference(subject, dialect, type, layout, name);
      return {
        kind: 'shared',
        problem: `${name} differs between locales`,
        table: layout.table,
        columns: ['document_id', 'locale', 'other'],
        find: compileDifferingLocales(type, layout.table, differ),
        advice: ADVICE,
      };
    });
  });
}

/** Whether an attribute of the rows `a` and `b` differs. */
function difference(subject: Subject, dialect: Dialect, type: ContentType, layout: ModelLayout, name: string): Sql {
  const attribute = type.attributes.get(name)!;
  if (isScalar(attribute)) {
    const column = layout.columns.get(name)!;
    return attribute.type === 'password' ? compilePasswordDiffers(column) : compileColumnDiffers(dialect, column);
  }
  if (attribute.type === 'media') return compileFilesDiffer(type.uid, name);
  const uids = attribute.type === 'component' ? [attribute.component] : [];
  if (attribute.type === 'dynamiczone') uids.push(...attribute.components);
  const components = uids.map((uid): ComparedComponent => {
    const { table, columns } = layoutOf(subject.layout, uid);
    const scalars = [...modelOf(subject.catalog, uid).attributes.values()].filter(isScalar);
    return { uid, table, columns: scalars.map((scalar) => columns.get(scalar.name)!) };
  });
  return compileEntriesDiffer(dialect, layout.componentsTable!, name, components);
}
