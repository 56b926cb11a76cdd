/** Operations of the project's content types. */
import { coreNames, coreRoute, ownRoutesOf, schedulePath } from '../../access/actions.ts';
import { BATCH_ACTIONS } from '../../query/batch.ts';
import type { ProjectCode } from '../../runtime/project-code.ts';
import { ITEM_STATES } from '../../schedule/items.ts';
import { SCHEDULED_ACTIONS } from '../../schedule/performers.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import { bracesOf, dataOf, LIST, ONE, type Operation, pageOf, WRITE } from './operations.ts';
import { inputName, listOf, outputName, ref, type Schema } from './schemas.ts';

/**
 * Operations of all types.
 *
 * @param routes the core routes of a type by its router; all, where it has no router.
 * @param may whether the caller may perform an action: a batch is described with these operations only.
 */
export function contentOperations(
  catalog: Catalog,
  routes: ProjectCode['routes'],
  { createdStatus, may }: { readonly createdStatus: number; readonly may: (action: string) => boolean },
): Operation[] {
  const types = [...catalog.contentTypes.values()].filter((type) => type.routed);
  return types.flatMap((type) => [
    ...coreOperations(type, routes, createdStatus),
    ...ownOperations(type, may),
    ...scheduleOperations(type),
  ]);
}

function coreOperations(type: ContentType, routes: ProjectCode['routes'], createdStatus: number): Operation[] {
  const prefixed = routes.get(type.uid) ?? [{ prefix: '', names: coreNames(type) }];
  const one = dataOf(ref(outputName(type)));
  const body: Schema = { type: 'object', properties: { data: ref(inputName(type)) }, required: ['data'] };
  const details: Readonly<Record<string, Partial<Operation>>> = {
    find:
      type.kind === 'singleType'
        ? { summary: `Read ${type.displayName}`, parameters: ONE, answers: { 200: one } }
        : {
            summary: `List documents of ${type.displayName}`,
            parameters: LIST,
            answers: { 200: pageOf(ref(outputName(type))) },
          },
    findOne: { summary: `Read one ${type.displayName}`, parameters: ONE, answers: { 200: one } },
    create: { summary: `Create ${type.displayName}`, parameters: WRITE, body, answers: { [createdStatus]: one } },
    update: { summary: `Update ${type.displayName}`, parameters: WRITE, body, answers: { 200: one } },
    delete: { summary: `Delete ${type.displayName}`, parameters: ['locale'], answers: { 204: undefined } },
  };
  return prefixed.flatMap(({ prefix, names }, index) =>
    [...names]
      .filter((name) => Object.hasOwn(details, name))
      .map((name): Operation => {
        const { method, path, action } = coreRoute(type, name);
        return {
          method: method.toLowerCase(),
          path: bracesOf(prefix + path),
          actions: [action],
          id: `${type.uid}.${name}${index === 0 ? '' : index}`,
          summary: '',
          tag: type.displayName,
          answers: {},
          ...details[name],
        };
      }),
  );
}

const TEXT: Schema = { type: 'string' };
const MOMENT: Schema = { type: 'string', format: 'date-time' };
const NULL: Schema = { type: 'null' };

/** A scheduled action. */
const SCHEDULED: Schema = {
  type: 'object',
  properties: {
    ...{ id: { type: 'integer' }, contentType: TEXT, documentId: TEXT, action: { enum: SCHEDULED_ACTIONS } },
    locale: { anyOf: [TEXT, listOf(TEXT), NULL] },
    ...{ at: MOMENT, state: { enum: ITEM_STATES }, createdAt: MOMENT, endedAt: { anyOf: [MOMENT, NULL] } },
    failure: {
      anyOf: [{ type: 'object', properties: { name: TEXT, message: TEXT, errors: listOf({ type: 'object' }) } }, NULL],
    },
  },
  required: ['id', 'documentId', 'action', 'at', 'state'],
};

const TRANSITIONS: Readonly<Record<string, string>> = {
  publish: 'Publish',
  unpublish: 'Unpublish',
  discardDraft: 'Discard the draft of',
};

/** Operations on recorded versions. */
const VERSIONS: Readonly<
  Record<string, (type: ContentType, one: Schema) => Omit<Operation, 'method' | 'path' | 'id' | 'actions'>>
> = {
  findVersions: ({ displayName }) => ({
    tag: displayName,
    summary: `List recorded versions of ${displayName}`,
    parameters: ['locale'],
    answers: { 200: {} },
  }),
  findVersion: ({ displayName }) => ({
    tag: displayName,
    summary: `Read a recorded version of ${displayName}`,
    parameters: [],
    answers: { 200: {} },
  }),
  restoreVersion: ({ displayName }, one) => ({
    tag: displayName,
    summary: `Restore a recorded version of ${displayName} into its draft`,
    parameters: ['fields', 'populate'],
    body: { type: 'object', properties: { attributes: listOf({ type: 'string' }) } },
    mayLackBody: true,
    answers: { 200: dataOf(one) },
  }),
};

/** Galley's own: publication, recorded versions and batches. */
function ownOperations(type: ContentType, may: (action: string) => boolean): Operation[] {
  const one = ref(outputName(type));
  return ownRoutesOf(type).map(({ name, action, method, path }): Operation => {
    const route = {
      method: method.toLowerCase(),
      path: bracesOf(path),
      id: `${type.uid}.${name}`,
      tag: type.displayName,
    };
    if (name in VERSIONS) return { ...route, actions: [action], ...VERSIONS[name]!(type, one) };
    if (name !== 'batch') {
      return {
        ...route,
        actions: [action],
        summary: `${TRANSITIONS[name]} ${type.displayName}`,
        parameters: ['fields', 'populate', 'locale'],
        answers: { 200: dataOf({ anyOf: [one, listOf(one)] }) },
      };
    }
    return {
      ...route,
      actions: BATCH_ACTIONS.map((each) => `${type.uid}.${each}`),
      summary: `Write several documents of ${type.displayName} in one transaction`,
      description: 'All of them or none. The answer has an item for each operation, in their order.',
      parameters: ['fields', 'populate'],
      ...batchOf(type, may),
    };
  });
}

/** Galley's own: actions at a time. */
function scheduleOperations(type: ContentType): Operation[] {
  if (!type.draftAndPublish) return [];
  const path = bracesOf(schedulePath(type));
  const actions = SCHEDULED_ACTIONS.map((name) => `${type.uid}.${name}`);
  const route = { path, actions, tag: type.displayName };
  const operation = (method: string, name: string): Pick<Operation, 'method' | 'id' | 'summary'> => ({
    ...{ method, id: `${type.uid}.${method}Schedule` },
    summary: `${name} ${type.displayName}`,
  });
  return [
    {
      ...{ ...route, ...operation('post', 'Schedule an action on') },
      body: {
        type: 'object',
        properties: { action: { enum: SCHEDULED_ACTIONS }, at: MOMENT, locale: { anyOf: [TEXT, listOf(TEXT)] } },
        required: ['action', 'at'],
        additionalProperties: false,
      },
      answers: { 201: dataOf(SCHEDULED) },
    },
    { ...route, ...operation('get', 'List what is scheduled for'), answers: { 200: dataOf(listOf(SCHEDULED)) } },
    {
      ...{ ...route, ...operation('put', 'Change the time of what is scheduled for') },
      path: `${path}/{id}`,
      body: { type: 'object', properties: { at: MOMENT }, required: ['at'], additionalProperties: false },
      answers: { 200: dataOf(SCHEDULED) },
    },
    {
      ...{ ...route, ...operation('delete', 'Cancel what is scheduled for') },
      path: `${path}/{id}`,
      answers: { 204: undefined },
    },
  ];
}

/** Body and answer of a batch, with the operations that the caller may perform. */
function batchOf(type: ContentType, may: (action: string) => boolean): Pick<Operation, 'body' | 'answers'> {
  const [one, text] = [ref(outputName(type)), { type: 'string' }];
  const written = { locale: text, status: { enum: ['draft', 'published'] }, data: ref(inputName(type)) };
  const some = { documentId: text, locale: { anyOf: [text, listOf(text)] } };
  const permitted = BATCH_ACTIONS.filter((action) => may(`${type.uid}.${action}`));
  const moves = type.draftAndPublish ? permitted.filter((action) => Object.hasOwn(TRANSITIONS, action)) : [];
  const operation = (actions: readonly string[], properties: Readonly<Record<string, Schema>>, required: string[]) =>
    actions.length === 0
      ? []
      : [
          {
            type: 'object',
            properties: { action: { enum: actions }, ...properties },
            required: ['action', ...required],
            additionalProperties: false,
          },
        ];
  const only = (name: string): readonly string[] => permitted.filter((action) => action === name);
  const operations = [
    ...operation(only('create'), written, ['data']),
    ...operation(only('update'), { documentId: text, ...written }, ['documentId', 'data']),
    ...operation(only('delete'), some, ['documentId']),
    ...operation(moves, some, ['documentId']),
  ];
  const answers = [one, ...(moves.length > 0 ? [listOf(one)] : []), { type: 'null' }];
  return {
    body: { type: 'object', properties: { operations: listOf({ anyOf: operations }) }, required: ['operations'] },
    answers: { 200: dataOf(listOf({ anyOf: answers })) },
  };
}
