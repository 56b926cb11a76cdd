/**
 * The first page: the documents that an administrator has edited, unpublished drafts, recent changes, and the activity
 * of the last weeks. Only the newest rows of each type are read, from indexes, so it takes as long on a million
 * documents as on a hundred. The page shows what the administrator's View shows.
 */
import type { Condition } from '../../access/condition.ts';
import { operandOf, type View, type Viewer } from '../../access/view.ts';
import type { Database } from '../../db/interface/database.ts';
import { query } from '../../db/interface/statements.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import {
  compileNewestDrafts,
  compileTimesOfChanges,
  compileTimesOfPublications,
  type NewestOf,
} from '../../sql/administrators/newest.ts';
import { changedByProgram } from '../documents/administrator-saves.ts';
import { defaultLocale, listLocales } from '../locales/locales.ts';
import type { DocumentReader } from '../reading/reader.ts';
import { readArrangements } from './arrangement.ts';
import type { State } from './lists.ts';
import { type NamedVersion, namedVersions, type Person } from './named-versions.ts';
import { shownTypes } from './shown-schema.ts';

export interface HomeContext {
  readonly reader: DocumentReader;
  readonly database: Database;
  readonly layout: Layout;
}

/** A version of a document, as the first page shows it. */
export interface Recent {
  readonly type: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly label: string | null;
  readonly state: State;
  readonly updatedAt: string;
  readonly by: Person | null;
  /** Whether a program has changed it last. */
  readonly isThroughApi: boolean;
}

export interface Home {
  readonly mine: readonly Recent[];
  readonly waiting: readonly Recent[];
  readonly changed: readonly Recent[];
  readonly weeks: {
    readonly from: string;
    readonly changed: readonly number[];
    readonly published: readonly number[];
    readonly complete: boolean;
  };
}

/** Types with a locale that are looked at; the default locale of each type comes first. */
const PARTS = 40;
/** Candidates read of each type, and entries wanted in each list. */
const NEWEST = 200;
const CANDIDATES = 30;
/** Documents of each list. */
const SHOWN = 8;
const DAYS = 56;
const DAY = 86_400_000;
/** Changes of each type that are counted. */
const COUNTED = 500;

interface Part extends NewestOf {
  readonly type: ContentType;
}

interface Candidate {
  readonly type: ContentType;
  readonly documentId: string;
  readonly locale: string | null;
  readonly updatedAt: number;
  readonly updatedBy: number | null;
  readonly state: State;
}

/** The first page of an administrator. @param viewer the administrator's viewer, with the own row id. */
export async function homeOf(context: HomeContext, viewer: Viewer, now = Date.now()): Promise<Home> {
  const { parts, locales } = await partsOf(context, viewer);
  const candidates = await newest(context.database, parts, locales);
  const own = viewer.values.administratorId;
  const lists = {
    mine: candidates.filter(({ updatedBy }) => updatedBy === own),
    waiting: candidates.filter(({ state }) => state !== 'published'),
    changed: candidates,
  };
  const wanted = new Set(Object.values(lists).flatMap((list) => list.slice(0, CANDIDATES)));
  const shown = await shownOf(context, viewer, [...wanted]);
  const entriesOf = (list: readonly Candidate[]): Recent[] =>
    list.flatMap((candidate) => shown.get(candidate) ?? []).slice(0, SHOWN);
  return {
    mine: entriesOf(lists.mine),
    waiting: entriesOf(lists.waiting),
    changed: entriesOf(lists.changed),
    weeks: await weeksOf(context.database, viewer, parts, locales, now),
  };
}

/** Types with their locales, whose codes are the first values of each statement. */
async function partsOf({ database, layout }: HomeContext, { view }: Viewer) {
  const locales = (await listLocales(database)).map(({ code }) => code);
  const types = shownTypes(view).filter(({ routed }) => routed);
  const parts = types.flatMap((type): Part[] => {
    const { draftAndPublish } = type;
    const part = { type, table: layoutOf(layout, type.uid).table, draftAndPublish };
    return type.localized ? locales.map((_, locale) => ({ ...part, locale })) : [{ ...part, locale: undefined }];
  });
  const chosen = locales.indexOf(await defaultLocale(database));
  const rank = ({ locale = chosen }: Part): number => (locale === chosen ? 0 : 1);
  return { locales, parts: parts.toSorted((a, b) => rank(a) - rank(b)).slice(0, PARTS) };
}

/** The newest drafts of all parts together, the newest first. */
async function newest(
  database: Database,
  parts: readonly Part[],
  locales: readonly string[],
): Promise<readonly Candidate[]> {
  if (parts.length === 0) return [];
  const rows = await query(database, compileNewestDrafts(database.dialect, parts, NEWEST), locales);
  const candidates = rows.map(([n, documentId, locale, updatedAt, updatedBy, published]): Candidate => {
    const { type } = parts[Number(n)]!;
    const time = Number(updatedAt);
    return {
      type,
      documentId: String(documentId),
      locale: type.localized ? String(locale) : null,
      updatedAt: time,
      updatedBy: updatedBy === null ? null : Number(updatedBy),
      state: published === null ? 'draft' : Number(published) < time ? 'modified' : 'published',
    };
  });
  return candidates.sort((a, b) => b.updatedAt - a.updatedAt);
}

/** The visible candidates, with their names. */
async function shownOf(
  { reader, database }: HomeContext,
  viewer: Viewer,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<Candidate, Recent>> {
  const arrangements = await readArrangements(database);
  const shown = new Map<Candidate, Recent>();
  for (const [type, ofType] of Map.groupBy(candidates, (candidate) => candidate.type)) {
    const documentIds = [...new Set(ofType.map(({ documentId }) => documentId))];
    const isByProgram = await changedByProgram(database, type.uid, documentIds);
    const named = await namedVersions(reader, viewer, type, documentIds, arrangements.get(type.uid));
    for (const candidate of ofType) {
      const { documentId, locale, state } = candidate;
      const version = named.find((one: NamedVersion) => one.documentId === documentId && one.locale === locale);
      if (!version) continue;
      const { label, updatedAt } = version;
      const isThroughApi = isByProgram(documentId, locale, updatedAt);
      const by = isThroughApi ? null : version.by;
      shown.set(candidate, { type: type.uid, documentId, locale, label, state, updatedAt, by, isThroughApi });
    }
  }
  return shown;
}

/**
 * The codes of the locales in which every version of a type is visible and no other is; undefined: there are no such
 * locales.
 */
function shownLocales(view: View, type: ContentType, locales: readonly string[]): ReadonlySet<string> | undefined {
  const localesOf = (condition: Condition): readonly string[] | undefined => {
    if (condition.kind === 'or') {
      const lists = condition.items.map(localesOf);
      return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
    }
    if (condition.kind !== 'test' || condition.field !== 'locale' || condition.operator !== '$in') return undefined;
    const operands = condition.slots.map((slot) => operandOf(view, slot));
    return operands.every(({ kind }) => kind === 'constant')
      ? operands.map((operand) => ('value' in operand ? String(operand.value) : ''))
      : undefined;
  };
  const { rows } = view.of(type);
  const shown = rows ? localesOf(rows) : locales;
  return shown && new Set(shown);
}

/** Changes and publications of each day, of types and locales of which every row is shown. */
async function weeksOf(
  database: Database,
  { view }: Viewer,
  parts: readonly Part[],
  locales: readonly string[],
  now: number,
): Promise<Home['weeks']> {
  const from = Math.floor(now / DAY) * DAY - (DAYS - 1) * DAY;
  const open = parts.filter(({ type, locale }) => {
    const shown = shownLocales(view, type, locales);
    return shown && (locale === undefined || shown.has(locales[locale]!));
  });
  let complete = true;
  const count = async (counted: readonly Part[], compile: typeof compileTimesOfChanges): Promise<number[]> => {
    const days = new Array<number>(DAYS).fill(0);
    if (counted.length === 0) return days;
    const values = [...locales, database.dialect.encodeTime(from)];
    const rows = await query(database, compile(counted, locales.length, COUNTED), values);
    const sizes = new Map<number, number>();
    for (const [n, at] of rows) {
      const day = Math.floor((Number(at) - from) / DAY);
      // clocks differ: a time in the future counts as today
      days[Math.min(day, DAYS - 1)]! += 1;
      sizes.set(Number(n), (sizes.get(Number(n)) ?? 0) + 1);
    }
    if ([...sizes.values()].some((size) => size >= COUNTED)) complete = false;
    return days;
  };
  const changed = await count(open, compileTimesOfChanges);
  const published = await count(
    open.filter(({ draftAndPublish }) => draftAndPublish),
    compileTimesOfPublications,
  );
  return { from: new Date(from).toISOString().slice(0, 10), changed, published, complete };
}
