/**
 * Reasons of refusals: codes with values, with which the administration's app states them in the language of its user.
 * Only answers of the administration API contain them; messages stay those of the reference.
 */

/** The names of the values of each reason. */
export const reasonValues = {
  // values of attributes and of bodies
  required: [],
  unique: [],
  emailTaken: [],
  tooShort: ['limit'],
  tooLong: ['limit'],
  bytes: ['limit'],
  tooFew: ['limit'],
  tooMany: ['limit'],
  tooSmall: ['limit'],
  tooLarge: ['limit'],
  between: ['from', 'to'],
  tooBig: [],
  noEmail: [],
  noUid: [],
  noMatch: [],
  noInteger: [],
  noNumber: [],
  noChoice: [],
  noJson: [],
  noMoment: [],
  noLower: [],
  noUpper: [],
  noDigit: [],
  characters: [],
  url: [],
  template: ['part'],
  link: [],
  deep: [],
  gone: ['type'],
  relation: [],
  // rows of files
  noBoolean: [],
  cellLong: ['limit'],
  keyMissing: [],
  keyRepeated: ['row'],
  keySeveral: [],
  linkUnknown: ['value'],
  linkSeveral: ['value'],
  localeOther: [],
  importRunning: [],
  // files and folders
  file: [],
  emptyFile: [],
  folderTaken: [],
  folderInItself: [],
  // stages of review
  stage: ['stage', 'required'],
  transition: ['from', 'to'],
  stageMoved: ['stage'],
  unreadable: ['name'],
  stageTaken: [],
  workflowTaken: [],
  // people, roles and tokens
  superOnly: [],
  factorKept: [],
  factorFirst: [],
  roleBeyond: ['name'],
  roleExtends: ['name'],
  roleTaken: [],
  role: [],
  personBeyond: [],
  ownAddress: [],
  permissionBeyond: ['permission'],
  lastSuper: [],
  // the trash
  existsAgain: [],
  notRecorded: [],
  changedSince: [],
  tokenName: [],
  // locales
  localeCode: [],
  localeMeant: ['code'],
  localeTaken: [],
  localeDefault: [],
  // releases
  releasePlanned: [],
  releaseReverted: [],
  // scheduled work
  past: [],
  farFuture: [],
  scheduleFull: ['limit'],
  scheduleOver: [],
  actorGone: [],
  actorForbidden: [],
  // whole requests
  several: ['count'],
  forbidden: [],
  missing: [],
  signedOut: [],
  siteUser: [],
  credentials: [],
  code: [],
  password: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ReasonCode = keyof typeof reasonValues;
type ValueName<C extends ReasonCode> = (typeof reasonValues)[C][number];

export interface Reason {
  readonly code: ReasonCode;
  readonly values?: Readonly<Record<string, string | number>>;
  /** The path of the attribute, for errors whose details do not have it. */
  readonly path?: string;
}

/** The values of a code; none for most. */
export type ReasonValues<C extends ReasonCode> = [ValueName<C>] extends [never]
  ? []
  : [values: Readonly<Record<ValueName<C>, string | number>>];

/** The reason of a refusal, with the values that its code takes. */
export function reason<C extends ReasonCode>(code: C, ...[values]: ReasonValues<C>): Reason {
  return values === undefined ? { code } : { code, values };
}

/** The reasons of single failures in the details of an error. */
const reasons = new WeakMap<object, Reason>();

/** Gives a failure in the details of an error its reason. */
export function withReason<T extends object>(failure: T, why: Reason | undefined): T {
  if (why !== undefined) reasons.set(failure, why);
  return failure;
}

/** The reason of a failure in the details of an error. */
export const reasonOfFailure = (failure: object): Reason | undefined => reasons.get(failure);

/** A list of failures in the details of an error, with their reasons. */
export const shownFailures = (failures: unknown): readonly unknown[] =>
  Array.isArray(failures) ? failures.map((failure: unknown) => withShownReason(failure)) : [];

function withShownReason(failure: unknown): unknown {
  const why = typeof failure === 'object' && failure !== null ? reasons.get(failure) : undefined;
  return why === undefined ? failure : { ...(failure as object), reason: why };
}
