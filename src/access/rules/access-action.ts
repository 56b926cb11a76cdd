/** What rules of access are about: `find` is of all reading, the others of rows before and after they are written. */
export const ACCESS_ACTIONS = ['find', 'create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft'] as const;
export type AccessAction = (typeof ACCESS_ACTIONS)[number];
