/** How a value is reached from strapi. */
import type { Step } from '../reading/syntax.ts';

/** The steps that lead to a value from strapi itself. */
export type Path = readonly Step[];

/** In the place of strapi: an object that holds it under its name, as Strapi hands it to factories. */
export const HOLDER = '{ strapi }';
/** The global object, which holds it as well. */
export const GLOBAL = 'globalThis';
