/** Requests for content types and components: the schema files of the project. */
import {
  anything,
  flag,
  type Infer,
  list,
  moment,
  nullable,
  number,
  object,
  oneOf,
  optional,
  recordOf,
  text,
} from './shape.ts';

const kind = oneOf('collectionType', 'singleType', 'component');

const contentTypeFile = object({
  uid: text,
  kind,
  /** The category of a component; null for other types. */
  category: nullable(text),
  displayName: text,
  /** Only types of the project can be changed; the others are types of plugins and of code. */
  origin: oneOf('project', 'plugin', 'code'),
  /** The schema file, relative to the project; null if there is none. */
  file: nullable(text),
  /** Identifies the bytes of the file; null if there is none. */
  revision: nullable(text),
  /** The schema as in its file: `kind`, `collectionName`, `info`, `options`, `pluginOptions`, `attributes` in order. */
  schema: recordOf(anything),
  /** Documents; null for components, for tables of very many rows, and while the database has no table for it. */
  count: nullable(number),
});

/** A mistake prevents the change; a warning is about something that is probably not meant. */
export const schemaProblem = object({
  uid: nullable(text),
  file: text,
  /** The place in the file: `['attributes', 'title', 'regex']`. */
  path: list(text),
  message: text,
  severity: oneOf('mistake', 'warning'),
});

/**
 * What a change does. `loss`: content is no longer reachable. `work`: content changes its meaning or its place, or
 * editors have to do something. `info`: nothing happens to content.
 */
export const schemaEffect = object({
  severity: oneOf('info', 'work', 'loss'),
  uid: text,
  /** Null if it concerns the whole type. */
  attribute: nullable(text),
  kind: oneOf(
    ...(['typeAdded', 'typeRemoved', 'typeRenamed', 'tableRenamed', 'kindChanged'] as const),
    ...(['draftsOn', 'draftsOff', 'unpublishedLost', 'localesOn', 'localesOff'] as const),
    ...(['attributeAdded', 'attributeRemoved', 'attributeRenamed', 'attributeRestored', 'archiveReplaced'] as const),
    ...(['typeChanged', 'relationChanged', 'componentChanged', 'multipleOff', 'localizedOn', 'localizedOff'] as const),
    ...(['requiredAdded', 'uniqueAdded', 'rulesTightened', 'valuesRemoved', 'componentsRemoved'] as const),
    ...(['pathChanged', 'orderChanged', 'optionsChanged'] as const),
  ),
  /** The documents that are concerned, for components rows; null if no number applies. */
  count: nullable(number),
  /** The names, types, kinds or values before and after, where the effect has any. */
  from: nullable(text),
  to: nullable(text),
  /**
   * How content of a loss can be kept. `archive`: it stays in the database, out of reach of the app and the API.
   * `publish`: drafts are published.
   */
  keep: nullable(oneOf('archive', 'publish')),
});

const plan = object({
  /** Whether `POST content-types` would apply it with the same `keep`. */
  isApplicable: flag,
  /** All files that change, with their texts; null where there is no file. */
  files: list(object({ file: text, before: nullable(text), after: nullable(text) })),
  effects: list(schemaEffect),
  problems: list(schemaProblem),
  /** Uids whose files were changed since their revision, in the same place. */
  conflicts: list(text),
  /** Uids whose files were changed since their revision, in other places: both changes are in `after`. */
  merged: list(text),
});

const state = object({
  isEditable: flag,
  /** Starts the project for development. */
  command: text,
  /** Why nothing can be changed: `production` (not `galley dev`), `files` (not writable), `rights`. */
  reason: nullable(oneOf('production', 'files', 'rights')),
  /** The last change, as long as it can be undone: the uids of its types. */
  undo: nullable(object({ at: moment, uids: list(text) })),
  types: list(contentTypeFile),
  /** Mistakes in the files as they are now, for example of an editor that is writing one. */
  problems: list(schemaProblem),
});

const changes = object({
  changes: list(
    object({
      uid: text,
      kind,
      /** The revision that the change began with; null for a new type. */
      revision: nullable(text),
      /** Null removes the type. */
      schema: nullable(recordOf(anything)),
      /** New names of attributes by their old ones. Their content is kept. */
      renames: optional(recordOf(text)),
      /** The uid of before, if the type is renamed. Its content is kept, and `revision` is that of the old file. */
      renamedFrom: optional(text),
    }),
  ),
  /** How content is kept, by `uid` (a type) or `uid#attribute`. */
  keep: optional(recordOf(oneOf('archive', 'publish'))),
});

const inState = { answer: object({ data: state }) };

export const CONTENT_TYPE_REQUESTS = {
  'GET content-types': inState,
  /** Says what changes would do. Writes nothing. */
  'POST content-types/plan': { body: changes, answer: object({ data: plan }) },
  'POST content-types': { body: changes, ...inState },
  'POST content-types/undo': inState,
} as const;

export type ContentTypeFile = Infer<typeof contentTypeFile>;
export type ContentTypesState = Infer<typeof state>;
export type SchemaPlan = Infer<typeof plan>;
export type SchemaEffect = Infer<typeof schemaEffect>;
export type SchemaProblem = Infer<typeof schemaProblem>;
export type SchemaChanges = Infer<typeof changes>;
