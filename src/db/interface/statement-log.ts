/** Told of each statement and the milliseconds it took; values are never passed, they may be secret. */
export type StatementLog = (text: string, milliseconds: number) => void;
