/** Writes as they are made: what only a server can tell, such as the ids of what it has created, is named. */
import type { ContentType } from '../../../src/schema/catalog.ts';
import { pathOf } from '../samples.ts';
import type { Request } from '../servers.ts';

/** A write of one type. */
export interface Step {
  /** Its place in the episode, by which the document that it creates is named. */
  readonly number: number;
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly type: ContentType;
  /** Name of the document; none on a create and for single types. */
  readonly document?: string;
  /** As in a request. */
  readonly params: readonly string[];
  /** What stands under `data`, in which names stand for ids. */
  readonly data?: unknown;
}

/** Writes that follow one another on the origin of the database. */
export type Episode = readonly Step[];

/** The name of the document that a step creates. Documents of the origin are named by their document id. */
export const createdBy = (number: number): string => `@${number}`;

/** The name of the draft row of a document, for its row id. */
export const rowOf = (document: string): string => `@row ${document}`;

/** The document of such a name. */
export const documentOf = (row: string): string => row.slice('@row '.length);

/** The name of a component of the document that is written, for its row id. `at` is a path like `zone.0`. */
export const partAt = (at: string): string => `@part ${at}`;

/** A parameter's value; undefined where the step does not give it. */
export function paramOf({ params }: Step, name: string): string | undefined {
  const param = params.find((one) => one.startsWith(`${name}=`));
  return param?.slice(name.length + 1);
}

/** Locales that projects are compared with. */
export const LOCALES: readonly string[] = ['en', 'fr', 'de'];
export const DEFAULT_LOCALE = 'en';

/** The locale of the version that is written; undefined where the step names none. */
export const localeOf = (step: Step): string | undefined => paramOf(step, 'locale') || undefined;

/** The request as it is printed, with names. */
export function requestOf({ method, type, document, params, data }: Step): Request {
  const path = document === undefined ? pathOf(type) : `${pathOf(type)}/${document}`;
  return { method, path, params, ...(method === 'DELETE' ? {} : { body: { data } }) };
}
