/** Requests that explore the content API as one of its callers. */
import { flag, type Infer, list, nullable, number, object, oneOf, type Shape, text } from './shape.ts';

const inData = <T>(shape: Shape<T>) => ({ answer: object({ data: shape }) });

export const exploredRequest = object({
  /** Method and path without the prefix of the API. */
  id: text,
  /** `find`, `publish`, or the name of an action of the project. */
  name: text,
  method: text,
  /** With the prefix of the API, and `:name` for parameters. */
  path: text,
  /** Whether it is a route of project code. */
  isOwn: flag,
  /** Why nobody may send it; null: it is open. */
  closed: nullable(text),
  /** The roles that may send it. */
  roles: list(number),
});

export const exploredType = object({
  uid: text,
  displayName: text,
  /** The beginning of the names of its types in the declarations of `galley types`: `Article`. */
  typeName: text,
  kind: oneOf('collectionType', 'singleType'),
  singularName: text,
  pluralName: text,
  localized: flag,
  draftAndPublish: flag,
  requests: list(exploredRequest),
});

/** A model as a caller sees it. */
export const exploredModel = object({
  uid: text,
  displayName: text,
  fields: list(text),
  filters: list(object({ name: text, type: text, values: list(text) })),
  sorts: list(text),
  populates: list(object({ name: text, type: text, target: nullable(text), isMany: flag })),
  inputs: list(
    object({ name: text, type: text, required: flag, target: nullable(text), isMany: flag, values: list(text) }),
  ),
});

const rows = object({ table: text, rows: nullable(number) });

const index = {
  table: text,
  columns: list(text),
  descending: list(text),
  ordered: list(text),
  rows: nullable(oneOf('published', 'draft')),
  search: flag,
};

export const finding = object({
  kind: text,
  names: list(text),
  table: text,
  rows: number,
  isExact: flag,
  /** The index that the database does not use. */
  unused: nullable(text),
  /** The index that is missing: its name, and its columns in words. */
  index: nullable(object({ ...index, name: text, text })),
  /** The whole sentence in English. */
  text,
});

export const explainedRead = object({
  sql: list(text),
  parameters: list(text),
  plan: list(text),
  /** The middle one of the times of some runs; null if a limit stopped the read. */
  milliseconds: nullable(number),
  runs: number,
  rows: nullable(number),
  total: nullable(number),
  uses: list(object({ table: text, index: text })),
  scans: list(rows),
  sorts: list(rows),
  findings: list(finding),
});

export const sentAnswer = object({
  status: number,
  headers: list(object({ name: text, value: text })),
  /** The beginning of the body; empty unless it is text. */
  body: text,
  isText: flag,
  isCut: flag,
  bytes: number,
  /** Milliseconds until the answer began, and until its end. */
  waited: number,
  milliseconds: number,
  /** The reads of the request; null if it was not to be explained. */
  reads: nullable(list(explainedRead)),
});

export const EXPLORE_REQUESTS = {
  'GET explore': inData(
    object({
      prefix: text,
      /** The public address of the server; null if it is not configured. */
      origin: nullable(text),
      /** The path of the page that describes the API. */
      docs: text,
      roles: list(object({ id: number, name: text, type: text })),
      tokens: list(object({ id: number, name: text, type: text, isExpired: flag })),
      types: list(exploredType),
    }),
  ),
  /** Takes `as`: `public`, `role:ID` or `token:ID`. */
  'GET explore/view': inData(
    object({
      /** The ids of the requests that the caller may send. */
      permitted: list(text),
      models: list(exploredModel),
    }),
  ),
  /** Sends a request as a caller. */
  'POST explore/requests': {
    body: object({
      as: text,
      method: text,
      target: text,
      body: nullable(text),
      /** Required for requests that write. */
      confirmed: flag,
      explain: flag,
    }),
    ...inData(sentAnswer),
  },
  /** Creates an index. */
  'POST explore/indexes': {
    body: object(index),
    ...inData(object({ name: text, existed: flag, milliseconds: number })),
  },
} as const;

export type ExploredType = Infer<typeof exploredType>;
export type ExploredRequest = Infer<typeof exploredRequest>;
export type ExploredModel = Infer<typeof exploredModel>;
export type ExplainedRead = Infer<typeof explainedRead>;
export type Finding = Infer<typeof finding>;
export type SentAnswer = Infer<typeof sentAnswer>;
