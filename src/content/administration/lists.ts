/** Lists of documents as administrators work with them: drafts, by the state of each, with the states of all locales. */
import type { Viewer } from '../../access/view.ts';
import type { Database } from '../../db/interface/database.ts';
import { ContentError, validation } from '../../errors.ts';
import type { JsonObject } from '../../plain-values.ts';
import { type Page, parsePage } from '../../query/page.ts';
import type { RawObject, RawValue } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { type Layout, layoutOf } from '../../schema/layout/layout.ts';
import type { ListText } from '../reading/answers.ts';
import type { DocumentReader } from '../reading/reader.ts';

/** `modified`: published, with a draft that is newer. Documents of types without drafts are `published`. */
export type State = 'draft' | 'published' | 'modified';

/** By document, and by locale; under the empty name for types without locales. */
export type States = ReadonlyMap<string, Readonly<Record<string, State>>>;

/** Each cohort with the content API's name of it, as drafts see it. */
const COHORTS: Readonly<Record<string, string | undefined>> = {
  all: undefined,
  draft: 'never-published',
  modified: 'modified',
  published: 'unmodified',
};

const PAGES = { defaultLimit: 50, maxLimit: 100, withCount: true } as const;
/** Document ids in one answer. */
const IDS = { defaultLimit: 10_000, maxLimit: 10_000, withCount: false } as const;
/** Versions that one statement reads; further versions of a document are skipped. */
const VERSIONS = 1000;
/** Rows of a table up to which the documents of a cohort are counted. */
const COUNTED = 50_000;

/**
 * A page of a list, by the content API's parameters and `cohort`.
 *
 * @throws ContentError 400 for a parameter that is wrong.
 */
export async function listDocuments(
  reader: DocumentReader,
  type: ContentType,
  viewer: Viewer,
  { cohort, ...params }: RawObject,
): Promise<ListText> {
  const page = parsePage(params, PAGES);
  const wanted = withCohort(params, cohort);
  const list = (withCount: boolean) => reader.list(type, viewer, wanted, { page: { ...page, withCount } });
  if (!isChosen(cohort) || page.mode === 'cursor' || !page.withCount) return list(page.withCount);
  // counting looks at each document of the type, as does a page that is not full: such a page gives the total as well
  const answer = await list(false);
  const rows = (JSON.parse(answer.data) as unknown[]).length;
  const isLast = rows < page.limit && (rows > 0 || page.offset === 0);
  return isLast ? { ...answer, page, total: page.offset + rows } : list(true);
}

/**
 * The ids of the documents of a list, in its order, so that an action on all of them is not affected by documents that
 * enter or leave the list meanwhile.
 *
 * @throws ContentError as `listDocuments`.
 */
export async function listedIds(
  reader: DocumentReader,
  type: ContentType,
  viewer: Viewer,
  { cohort, populate: _, ...params }: RawObject,
): Promise<readonly string[]> {
  const page = parsePage(params, IDS);
  const { data } = await reader.list(type, viewer, withCohort({ ...params, fields: ['documentId'] }, cohort), { page });
  const documents = JSON.parse(data) as readonly { readonly documentId: string }[];
  // with all locales a document is listed once for each of its versions
  return [...new Set(documents.map(({ documentId }) => documentId))];
}

/** Documents of a page of `allDocuments`, unless they are so long that the answer would exceed its limit. */
const TOGETHER = 100;

/**
 * Reads all documents of a list in its order, in pages.
 *
 * @throws ContentError as `listDocuments`.
 */
export async function* allDocuments(
  reader: DocumentReader,
  type: ContentType,
  viewer: Viewer,
  { cohort, ...params }: RawObject,
): AsyncGenerator<readonly JsonObject[]> {
  const wanted = withCohort(params, cohort);
  let limit = TOGETHER;
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: Page = { mode: 'cursor', offset: 0, withCount: false, limit, cursor };
    const answer: ListText | undefined = await reader.list(type, viewer, wanted, { page }).catch((error: unknown) => {
      if (!(error instanceof ContentError) || limit === 1) throw error;
      limit >>= 1;
      return undefined;
    });
    if (!answer) continue;
    cursor = answer.next;
    yield JSON.parse(answer.data) as JsonObject[];
  }
}

const isChosen = (cohort: RawValue): boolean => cohort !== undefined && cohort !== 'all';

function withCohort(params: RawObject, cohort: RawValue): RawObject {
  const drafts = { ...params, status: params['status'] ?? 'draft' };
  if (!isChosen(cohort)) return drafts;
  if (typeof cohort !== 'string' || !Object.hasOwn(COHORTS, cohort)) {
    throw validation(`Invalid value for 'cohort'. Expected one of: ${Object.keys(COHORTS).join(', ')}.`);
  }
  return { ...drafts, publicationFilter: COHORTS[cohort]! };
}

/** The states of documents, in each locale that the viewer is shown. */
export async function statesOf(
  reader: DocumentReader,
  type: ContentType,
  viewer: Viewer,
  documentIds: readonly string[],
): Promise<States> {
  const states = new Map<string, Record<string, State>>();
  if (documentIds.length === 0) return states;
  const versions = async (
    status: 'draft' | 'published',
    ids: readonly string[] = documentIds,
  ): Promise<readonly Version[]> => {
    const params: RawObject = {
      filters: { documentId: { $in: [...ids] } },
      fields: ['documentId', 'updatedAt', ...(type.localized ? ['locale'] : [])],
      locale: '*',
      status,
    };
    const page = { mode: 'offset', offset: 0, limit: VERSIONS, withCount: false } as const;
    const read = JSON.parse((await reader.list(type, viewer, params, { page })).data) as Version[];
    if (read.length < VERSIONS || ids.length === 1) return read;
    // there may be more of them: each document has a version in every locale
    const middle = ids.length >> 1;
    return [...(await versions(status, ids.slice(0, middle))), ...(await versions(status, ids.slice(middle)))];
  };
  const published = await versions('published');
  const note = ({ documentId, locale }: Version, state: State): void => {
    const ofDocument = states.get(documentId);
    if (ofDocument) ofDocument[locale ?? ''] = state;
    else states.set(documentId, { [locale ?? '']: state });
  };
  for (const version of published) note(version, 'published');
  if (!type.draftAndPublish) return states;
  const times = new Map(published.map((version) => [keyOf(version), version.updatedAt ?? '']));
  for (const draft of await versions('draft')) {
    const time = times.get(keyOf(draft));
    if (time === undefined) note(draft, 'draft');
    else if ((draft.updatedAt ?? '') > time) note(draft, 'modified');
  }
  return states;
}

interface Version {
  readonly documentId: string;
  readonly locale?: string | null;
  readonly updatedAt: string | null;
}

const keyOf = ({ documentId, locale }: Version): string => `${documentId} ${locale ?? ''}`;

/** How many documents each cohort has in a locale; null if counting them would take long. */
export async function cohortSizes(
  {
    reader,
    database,
    layout,
  }: { readonly reader: DocumentReader; readonly database: Database; readonly layout: Layout },
  type: ContentType,
  viewer: Viewer,
  locale: RawValue,
): Promise<Readonly<Record<string, number | null>>> {
  const { table } = layoutOf(layout, type.uid);
  const rows = database.rowsOf(table);
  const isKept = database.keepsTotals(table) && viewer.view.of(type).rows === undefined;
  let isSmall = rows !== undefined && rows <= COUNTED;
  const sizes: Record<string, number | null> = {};
  for (const cohort of Object.keys(COHORTS)) {
    const isEmpty = !type.draftAndPublish && cohort !== 'all' && cohort !== 'published';
    const isCheap = isSmall || (isKept && cohort === 'all');
    const size = isEmpty ? 0 : isCheap ? await sizeOf(reader, type, viewer, { locale, cohort }) : null;
    // an engine may not know how many rows there are
    if (cohort === 'all' && rows === undefined && size !== null) isSmall = size <= COUNTED;
    sizes[cohort] = size;
  }
  return sizes;
}

async function sizeOf(
  reader: DocumentReader,
  type: ContentType,
  viewer: Viewer,
  { cohort, ...params }: RawObject,
): Promise<number> {
  const page = { mode: 'offset', offset: 0, limit: 1, withCount: true } as const;
  const wanted = withCohort({ ...params, fields: ['documentId'] }, cohort);
  const { total = 0 } = await reader.list(type, viewer, wanted, { page });
  return total;
}
