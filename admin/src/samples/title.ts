/** The title of the pages of this folder. */
export const TITLE = 'Parts of the app';
