/** Rows of documents that do not fit together: drafts that are missing, rows that are there twice, wrong locales. */
import type { Row } from '../../db/queryable.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { layoutOf } from '../../schema/layout/layout.ts';
import { id, join, raw, type Sql, type SqlValue, slot, sql } from '../../sql/fragment.ts';
import { draftFrom } from '../publication/publication.ts';
import { readRows } from '../writing/documents.ts';
import type { WriteContext } from '../writing/write-context.ts';
import { type Check, clearing, idsOf } from './check.ts';
import type { Subject } from './orphans.ts';

/** Checks of every content type. `defaultLocale` is what rows of localized types without a locale get. */
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
const SELECTED = raw('x."id", x."document_id", x."locale"');

/** `y` is another row of the document of `x`, in its state. */
function peer(type: ContentType): Sql {
  const state = type.draftAndPublish ? raw(' and (y."published_at" is null) = (x."published_at" is null)') : raw('');
  return sql`y."document_id" = x."document_id" and y."id" <> x."id"${state}`;
}

function unnamed(table: string): Check {
  return {
    problem: 'row without a document id',
    table,
    columns: ['id'],
    find: sql`select x."id" from ${id(table)} x where x."document_id" is null`,
    advice: 'give it a document id of its own, or delete it',
  };
}

function withoutDraft(type: ContentType, table: string): Check {
  const sameLocale = type.localized
    ? raw(' and (y."locale" = x."locale" or (y."locale" is null and x."locale" is null))')
    : raw('');
  return {
    problem: 'published row without a draft',
    table,
    columns: COLUMNS,
    find: sql`select ${SELECTED} from ${id(table)} x where x."published_at" is not null and not exists (
      select 1 from ${id(table)} y where y."document_id" = x."document_id" and y."published_at" is null${sameLocale})`,
    repair: { does: 'make the draft from it', apply: (context, rows) => makeDrafts(context, type, rows) },
  };
}

async function makeDrafts(context: WriteContext, type: ContentType, found: readonly Row[]): Promise<void> {
  const made = new Set<string>();
  for (const [rowId, documentId, locale] of found) {
    // of two published rows of one version the first gets the draft, which then serves both
    const version = JSON.stringify([documentId, type.localized ? locale : null]);
    if (documentId === null || made.has(version)) continue;
    made.add(version);
    const { rows } = await readRows(context, type, String(documentId));
    const published = rows.find((row) => row.id === Number(rowId));
    if (published) await draftFrom(context, type, String(documentId), published);
  }
}

function doubled(type: ContentType, table: string): Check {
  const keys = ['document_id', ...(type.localized ? ['locale'] : [])];
  const names = join(
    keys.map((key) => id(key)),
    ', ',
  );
  const state = type.draftAndPublish
    ? raw(", case when \"published_at\" is null then 'draft' else 'published' end")
    : raw('');
  return {
    problem: 'several rows of one version',
    table,
    columns: [...keys, ...(type.draftAndPublish ? ['state'] : []), 'rows'],
    find: sql`select ${names}${state}, count(*) from ${id(table)} where "document_id" is not null group by ${names}${state} having count(*) > 1`,
    advice: 'delete all but one: only you can tell which',
  };
}

function straying(type: ContentType, table: string): Check {
  const alone = sql`not exists (select 1 from ${id(table)} y where ${peer(type)})`;
  return {
    problem: 'locale on a type without locales',
    table,
    columns: COLUMNS,
    find: sql`select ${SELECTED} from ${id(table)} x where x."locale" is not null and ${alone}`,
    repair: clearing(table, ['locale']),
  };
}

function localizedChecks(type: ContentType, table: string, defaultLocale: string): Check[] {
  const free = sql`not exists (select 1 from ${id(table)} y where ${peer(type)} and (y."locale" = ${slot(0)} or (y."locale" is null and y."id" < x."id")))`;
  const locale = new Map<string, SqlValue>([['locale', defaultLocale]]);
  return [
    {
      problem: 'no locale on a localized type',
      table,
      columns: COLUMNS,
      find: sql`select ${SELECTED} from ${id(table)} x where x."locale" is null and ${free}`,
      values: [defaultLocale],
      repair: {
        does: `set locale to ${defaultLocale}, the default`,
        apply: (context, rows) => context.tables.update(table, locale, { id: idsOf(rows) }),
      },
    },
    {
      problem: 'no locale, and the default one is taken',
      table,
      columns: COLUMNS,
      find: sql`select ${SELECTED} from ${id(table)} x where x."locale" is null and not ${free}`,
      values: [defaultLocale],
      advice: 'delete it, or set its locale',
    },
    {
      problem: 'unknown locale',
      table,
      columns: COLUMNS,
      find: sql`select ${SELECTED} from ${id(table)} x where x."locale" is not null
        and not exists (select 1 from "i18n_locale" y where y."code" = x."locale")`,
      advice: 'galley locale add, or delete these versions',
    },
  ];
}
