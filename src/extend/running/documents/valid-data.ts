/** Data of documents that is wrong in itself: the reference refuses it before lifecycles are told of the write. */
import { permitBody } from '../../../access/permit-body.ts';
import { PatternTime } from '../../../content/validation/pattern-time.ts';
import { validateRow } from '../../../content/validation/validate.ts';
import { Failures } from '../../../failures.ts';
import type { WrittenData } from '../../../query/body.ts';
import { plainData } from '../../../query/plain.ts';
import type { ContentType } from '../../../schema/catalog.ts';
import type { CodeRooms } from '../rooms.ts';
import { knownData } from './known-data.ts';

interface Rooms {
  readonly catalog: CodeRooms['catalog'];
  readonly views: Pick<CodeRooms['views'], 'code'>;
}

/**
 * Checks values and components as they are given: of a type with drafts as those of a draft, since what is published is
 * written as one first. Code may fill in links, and what others have is asked for when all is written.
 *
 * @throws ContentError 400 for values that are wrong, or missing.
 */
export function requireValid({ catalog, views }: Rooms, type: ContentType, data: unknown, creating: boolean): void {
  if (type.builtIn) return;
  const known = plainData(knownData(catalog, type, data ?? {})) as WrittenData;
  const { row } = permitBody(views.code.view, type, known);
  const failures = new Failures();
  const links = new Failures();
  const rules = { strict: !type.draftAndPublish, creating, patterns: new PatternTime() };
  validateRow(row, rules, ({ type: kind }) => (kind === 'relation' || kind === 'media' ? links : failures));
  failures.throwAny();
}
