/** The largest row id that every engine's columns hold: there is no row beyond it. */
export const MAX_ROW_ID = 2_147_483_647;
