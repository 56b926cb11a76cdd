/** Names of our own tables that link rows of content. */

/** Links that wait for their target's publication: the layout cannot hold a link to a row that is not there. */
export const PENDING_TABLE = 'galley_pending_links';
/** Which draft has changed a link of a two-sided relation. */
export const DRAFT_LINKS_TABLE = 'galley_draft_links';
