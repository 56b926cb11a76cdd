/** The board of a type: documents by stage, a page at a time, as far as an administrator is shown them. */
import type { Viewer } from '../access/view.ts';
import { readArrangements } from '../content/administration/arrangement.ts';
import type { Person } from '../content/administration/form-values.ts';
import { type State, statesOf } from '../content/administration/lists.ts';
import { namedVersions } from '../content/administration/named-versions.ts';
import { query } from '../db/interface/statements.ts';
import { validation } from '../errors.ts';
import type { ContentType } from '../schema/catalog.ts';
import { compileBoard, compileStagesOfRows } from '../sql/review.ts';
import { rowLinksOf } from '../sql/row-links.ts';
import type { Administrator } from '../users/administrators/administrators.ts';
import { openCommentCounts } from './comments.ts';
import { namesOf, type PeopleContext } from './people.ts';
import { choicesOf } from './reviewed-documents.ts';
import { type Stage, stageIn, type Workflow } from './workflows.ts';

/** A document on the board. */
export interface Card {
  readonly documentId: string;
  readonly label: string | null;
  readonly state: State | null;
  readonly updatedAt: string;
  readonly by: Person | null;
  readonly assignee: Person | null;
  readonly openComments: number;
}

/** A part of a board. */
export interface BoardQuery {
  readonly type: ContentType;
  readonly workflow: Workflow;
  /** Null on types without locales. */
  readonly locale: string | null;
  /** Documents of one person in charge; undefined for all. */
  readonly assignee: number | undefined;
}

/** Cards of a page, and pages of rows that are looked through for them: hidden documents do not count. */
const PAGE = 25;
const LOOKS = 8;
/** Documents that are counted. */
const COUNTED = 10_000;

/** A page of the documents in a stage, the newest documents first. @param after where the page before has ended. */
export async function boardPage(
  context: PeopleContext,
  viewer: Viewer,
  board: BoardQuery,
  { stage, after }: { readonly stage: Stage; readonly after: number | undefined },
): Promise<{ readonly cards: readonly Card[]; readonly next: string | null }> {
  const { type, workflow, locale, assignee } = board;
  const { database, reader } = context;
  const links = rowLinksOf(type);
  const cards: { readonly id: number; readonly documentId: string; readonly assignee: number | null }[] = [];
  let last = after;
  let isMore = true;
  for (let look = 0; look < LOOKS && isMore && cards.length < PAGE; look++) {
    const part = {
      draftAndPublish: type.draftAndPublish,
      localized: type.localized,
      first: stage === workflow.stages[0],
      ofAssignee: assignee !== undefined,
      isLater: last !== undefined,
    };
    const more = [...(type.localized ? [locale] : []), ...(assignee === undefined ? [] : [assignee])];
    const values = [stage.id, PAGE, ...more, ...(last === undefined ? [] : [last])];
    const rows = await query(database, compileBoard(links.stage, links.assignee, part), values);
    isMore = rows.length === PAGE;
    const checked = rows.map(([id]) => ({ id: Number(id), published: !type.draftAndPublish }));
    const hidden = await reader.shown(database, viewer).hidden(type, checked);
    for (const [id, documentId, person] of rows) {
      if (cards.length === PAGE) {
        isMore = true;
        break;
      }
      last = Number(id);
      if (hidden.has(last)) continue;
      cards.push({ id: last, documentId: String(documentId), assignee: person === null ? null : Number(person) });
    }
  }
  const ids = cards.map(({ documentId }) => documentId);
  const stored = (await readArrangements(database)).get(type.uid);
  const named = ids.length === 0 ? [] : await namedVersions(reader, viewer, type, ids, stored);
  const states = await statesOf(reader, type, viewer, ids);
  const people = await namesOf(
    context,
    cards.flatMap((card) => card.assignee ?? []),
  );
  const comments = await openCommentCounts(database, viewer, type, locale, ids);
  return {
    cards: cards.flatMap(({ documentId, assignee: person }): Card[] => {
      const version = named.find((one) => one.documentId === documentId && one.locale === locale);
      if (!version) return [];
      const { label, updatedAt, by } = version;
      const state = states.get(documentId)?.[locale ?? ''] ?? null;
      const openComments = comments.get(documentId) ?? 0;
      return [
        {
          documentId,
          label,
          state,
          updatedAt,
          by,
          assignee: (person !== null && people.get(person)) || null,
          openComments,
        },
      ];
    }),
    next: isMore && last !== undefined ? String(last) : null,
  };
}

/** How many documents are in each stage, by its id; null where counting them would take long. */
export async function boardCounts(
  { database, reader }: PeopleContext,
  viewer: Viewer,
  { type, workflow, locale, assignee }: BoardQuery,
): Promise<Readonly<Record<string, number | null>>> {
  const links = rowLinksOf(type);
  const ofAssignee = assignee !== undefined;
  const part = { draftAndPublish: type.draftAndPublish, localized: type.localized, ofAssignee };
  const values = [COUNTED + 1, ...(type.localized ? [locale] : []), ...(ofAssignee ? [assignee] : [])];
  const rows = await query(database, compileStagesOfRows(links.stage, links.assignee, part), values);
  const isCounted = rows.length <= COUNTED;
  const counts = new Map(workflow.stages.map(({ id }) => [String(id), isCounted ? 0 : null]));
  if (!isCounted) return Object.fromEntries(counts);
  const checked = rows.map(([id]) => ({ id: Number(id), published: !type.draftAndPublish }));
  const hidden = await reader.shown(database, viewer).hidden(type, checked);
  for (const [id, stage] of rows) {
    if (hidden.has(Number(id))) continue;
    const key = String(stageIn(workflow, stage === null ? null : Number(stage)).id);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

/** The stages that an administrator may move documents to, by the id of the stage in which they are. */
export function movesOf(
  administrator: Pick<Administrator, 'roles' | 'rights'>,
  workflow: Workflow,
): Readonly<Record<string, readonly number[]>> {
  return Object.fromEntries(workflow.stages.map((stage) => [stage.id, choicesOf(administrator, workflow, stage)]));
}

/** The row id after which a page begins. @throws ContentError 400 for a cursor that no page has given. */
export function cursorOf(value: unknown): number | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string' && /^\d{1,10}$/.test(value)) return Number(value);
  throw validation('cursor must be the next of another page');
}
