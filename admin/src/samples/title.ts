/** What the pages of this folder are called. */
export const TITLE = 'Parts of the app';
