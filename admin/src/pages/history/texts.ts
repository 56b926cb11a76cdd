/** Versions, their authors, and what cannot be restored of them, in words. */
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { Loss, RecordedVersion, VersionAuthor } from '../../../contract/documents.ts';
import { type Attribute, componentOf, isValues, type Model, type Values } from '../../form/values/model.ts';
import { timeText, whenText } from '../../language/date-format.ts';
import type { Text } from '../../language/messages.ts';

/** When and by whom the present state was replaced by the next one; versions of Strapi have only the beginning. */
export const eventOf = ({ replacedAt, replacedBy, savedAt, savedBy }: RecordedVersion) =>
  replacedAt === null ? { at: savedAt, by: savedBy } : { at: replacedAt, by: replacedBy };

/** Minutes that need seconds to tell versions apart. */
export interface SharedMinutes {
  /** Those in which several versions of a status were saved. */
  readonly saved: ReadonlySet<string>;
  /** Those in which several versions were replaced. */
  readonly replaced: ReadonlySet<string>;
}

const minuteOf = (at: string): string => at.slice(0, '2026-05-04T14:02'.length);
const savedIn = ({ status, savedAt }: Pick<RecordedVersion, 'status' | 'savedAt'>) => `${status} ${minuteOf(savedAt)}`;
const replacedIn = (version: RecordedVersion): string => minuteOf(eventOf(version).at);

export function sharedMinutes(versions: readonly RecordedVersion[]): SharedMinutes {
  const shared = (nameOf: (version: RecordedVersion) => string): ReadonlySet<string> => {
    const minutes = Map.groupBy(versions, nameOf);
    return new Set([...minutes].flatMap(([minute, { length }]) => (length > 1 ? [minute] : [])));
  };
  return { saved: shared(savedIn), replaced: shared(replacedIn) };
}

/** `Draft from 4 May 2026, 14:02`. */
export function versionText(
  t: Text,
  { draftAndPublish }: ContentType,
  version: Pick<RecordedVersion, 'status' | 'savedAt'>,
  minutes: SharedMinutes,
  locale: string,
): string {
  const { status, savedAt } = version;
  const when = whenText('moment', savedAt, locale, minutes.saved.has(savedIn(version)));
  return t(draftAndPublish ? `history.version.${status}` : 'history.version.only', { when });
}

/** Whether the time at which a version was replaced needs seconds. */
export const isReplacedExact = (version: RecordedVersion, { replaced }: SharedMinutes): boolean =>
  replaced.has(replacedIn(version));

/** The time of day at which a version was replaced: `14:07`. */
export const replacedText = (version: RecordedVersion, minutes: SharedMinutes, locale: string): string =>
  timeText(eventOf(version).at, locale, isReplacedExact(version, minutes));

export function authorText(t: Text, author: VersionAuthor | null): string {
  if (author === null) return t('history.author.unknown');
  const { kind, name } = author;
  if (kind === 'administrator' || kind === 'token' || kind === 'user') {
    const known = name ?? t('history.author.unknown');
    return kind === 'administrator' ? known : t(`history.author.${kind}`, { name: known });
  }
  return t(`history.author.${kind}`);
}

/** Why a version was replaced or removed. */
export const reasonText = (t: Text, { reason }: RecordedVersion): string => t(`history.reason.${reason ?? 'strapi'}`);

/** What cannot be restored, one sentence for each attribute and reason. */
export function lossTexts(t: Text, schema: Schema, model: Model, values: Values, losses: readonly Loss[]): string[] {
  const groups = Map.groupBy(losses, ({ path, reason, target }) =>
    reason === 'deletedFile' && target?.name !== undefined ? JSON.stringify([path, target]) : `${path} ${reason}`,
  );
  return [...groups.values()].map((group) => {
    const [{ path, reason, target }] = group as [Loss];
    const field = labelOf(schema, model, values, path.split('.'));
    const count = group.length;
    if (reason === 'deletedDocument') return t('history.loss.deletedDocument', { field, count });
    if (reason !== 'deletedFile') return t(`history.loss.${reason}`, { field });
    const name = target?.name;
    return name === undefined
      ? t('history.loss.deletedFiles', { field, count })
      : t('history.loss.deletedFile', { field, name });
  });
}

/** `SEO › Title`, by the labels of the attributes; names that the schema does not have stay as they are. */
function labelOf(schema: Schema, model: Model, values: Values, path: readonly string[]): string {
  const labels: string[] = [];
  let at: Model | undefined = model;
  let attribute: Attribute | undefined;
  let value: unknown = values;
  for (const step of path) {
    const isIndex = Array.isArray(value);
    value = isIndex || isValues(value) ? (value as Values)[step] : undefined;
    if (isIndex) {
      at = attribute && componentOf(schema, attribute, isValues(value) ? value : undefined);
      continue;
    }
    attribute = at?.attributes.find(({ name }) => name === step);
    labels.push(attribute?.label ?? step);
    if (attribute && isValues(value)) at = componentOf(schema, attribute, value);
  }
  return labels.join(' › ');
}
