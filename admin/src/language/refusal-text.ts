/**
 * Texts of errors. The server gives errors reasons, which are codes with values; messages without one come from the code
 * of the project or are rare, and are shown as they are.
 */
import type { Reason } from '../../contract/reasons.ts';
import { RefusedError } from '../data/failures.ts';
import type { MessageKey, Text, Values } from './messages.ts';

/** The texts of reasons that also name problems of fields. Others are `refused.` and the code. */
const OF_FIELDS = {
  required: 'form.problem.required',
  tooShort: 'form.problem.tooShort',
  tooLong: 'form.problem.tooLong',
  tooFew: 'form.problem.tooFew',
  tooMany: 'form.problem.tooMany',
  tooSmall: 'form.problem.tooSmall',
  tooLarge: 'form.problem.tooLarge',
  noEmail: 'form.problem.noEmail',
  noUid: 'form.problem.noUid',
  noMatch: 'form.problem.noMatch',
  noInteger: 'form.problem.noInteger',
  noNumber: 'form.problem.noNumber',
  noChoice: 'form.problem.noChoice',
  noJson: 'form.problem.noJson',
  noMoment: 'form.problem.noMoment',
} as const satisfies Readonly<Record<string, MessageKey>>;

/** The texts of other reasons. */
const OTHERS = [
  'unique',
  'emailTaken',
  'bytes',
  'between',
  'tooBig',
  'noLower',
  'noUpper',
  'noDigit',
  'characters',
  'url',
  'template',
  'link',
  'deep',
  'gone',
  'relation',
  'file',
  'emptyFile',
  'folderTaken',
  'folderInItself',
  'stage',
  'transition',
  'stageMoved',
  'unreadable',
  'stageTaken',
  'workflowTaken',
  'superOnly',
  'factorKept',
  'factorFirst',
  'roleBeyond',
  'roleExtends',
  'roleTaken',
  'role',
  'personBeyond',
  'ownAddress',
  'permissionBeyond',
  'lastSuper',
  'existsAgain',
  'notRecorded',
  'changedSince',
  'tokenName',
  'localeCode',
  'localeMeant',
  'localeTaken',
  'localeDefault',
  'noBoolean',
  'cellLong',
  'keyMissing',
  'keyRepeated',
  'keySeveral',
  'linkUnknown',
  'linkSeveral',
  'localeOther',
  'importRunning',
  'past',
  'farFuture',
  'scheduleFull',
  'scheduleOver',
  'actorGone',
  'actorForbidden',
  'releasePlanned',
  'releaseReverted',
  'several',
  'forbidden',
  'missing',
  'signedOut',
  'siteUser',
  'credentials',
  'code',
  'password',
] as const;

/** The texts of all reasons by code. */
export const reasonTexts: ReadonlyMap<string, MessageKey> = new Map<string, MessageKey>([
  ...Object.entries(OF_FIELDS),
  ...OTHERS.map((code) => [code, `refused.${code}`] as const),
]);

/** Texts for statuses whose messages do not help the reader. */
const OF_STATUSES = {
  412: 'refused.changed',
  413: 'refused.tooLarge',
  500: 'refused.broken',
  503: 'refused.busy',
  507: 'refused.full',
} as const;

/** Something that was refused: an error of a value or of a request. */
interface Refused {
  readonly message: string;
  readonly reason?: Reason | undefined;
}

/** The text of an error of a value: that of its reason, or its message. */
export function refusalText(t: Text, { message, reason }: Refused): string {
  const key = reason && reasonTexts.get(reason.code);
  // The values belong to the code, which a test compares with the texts.
  return key === undefined ? message : t(key, ...([reason?.values ?? {}] as unknown as Values<typeof key>));
}

/** The text of an error of a request. */
export function failureText(t: Text, error: unknown): string {
  if (!(error instanceof RefusedError)) return t('unreachable');
  const { status, retryAfter = 60 } = error;
  if (status === 429) return t('refused.tooOften', { count: Math.ceil(retryAfter / 60) });
  if (!error.reason && Object.hasOwn(OF_STATUSES, status)) return t(OF_STATUSES[status as keyof typeof OF_STATUSES]);
  return refusalText(t, error);
}
