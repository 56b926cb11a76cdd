/** Operations of the project's content types. */

import { coreNames, coreRoute, ownRoutesOf } from '../../extend/actions.ts';
import type { ProjectCode } from '../../extend/project-code.ts';
import { BATCH_ACTIONS } from '../../query/batch.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import { dataOf, LIST, ONE, type Operation, pageOf, WRITE } from './operations.ts';
import { inputName, outputName, ref, type Schema } from './schemas.ts';

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const;

/**
 * Operations of all types.
 *
 * @param routes the core routes that a type has by its router; all, where it has none of its own.
 */
export function contentOperations(catalog: Catalog, routes: ProjectCode['routes'], createdStatus: number): Operation[] {
  const types = [...catalog.contentTypes.values()].filter((type) => type.routed);
  return types.flatMap((type) => [...coreOperations(type, routes, createdStatus), ...ownOperations(type)]);
}

function coreOperations(type: ContentType, routes: ProjectCode['routes'], createdStatus: number): Operation[] {
  const made = routes.get(type.uid) ?? [{ prefix: '', names: coreNames(type) }];
  const one = dataOf(ref(outputName(type)));
  const body: Schema = { type: 'object', properties: { data: ref(inputName(type)) }, required: ['data'] };
  const details: Readonly<Record<string, Partial<Operation>>> = {
    find:
      type.kind === 'singleType'
        ? { summary: `Read ${type.displayName}`, parameters: ONE, answers: { 200: one } }
        : { summary: `List of ${type.displayName}`, parameters: LIST, answers: { 200: pageOf(ref(outputName(type))) } },
    findOne: { summary: `Read one ${type.displayName}`, parameters: ONE, answers: { 200: one } },
    create: { summary: `Create ${type.displayName}`, parameters: WRITE, body, answers: { [createdStatus]: one } },
    update: { summary: `Update ${type.displayName}`, parameters: WRITE, body, answers: { 200: one } },
    delete: { summary: `Delete ${type.displayName}`, parameters: ['locale'], answers: { 204: undefined } },
  };
  return made.flatMap(({ prefix, names }, index) =>
    [...names]
      .filter((name) => Object.hasOwn(details, name))
      .map((name): Operation => {
        const { method, path, action } = coreRoute(type, name);
        return {
          method: METHODS[method as keyof typeof METHODS],
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

/** Ours: publication and batches. */
function ownOperations(type: ContentType): Operation[] {
  const one = ref(outputName(type));
  return ownRoutesOf(type).map(({ name, action, path }): Operation => {
    const isBatch = name === 'batch';
    const answer = isBatch ? { type: 'array' } : { anyOf: [one, { type: 'array', items: one }] };
    return {
      method: 'post',
      path: bracesOf(path),
      actions: isBatch ? BATCH_ACTIONS.map((each) => `${type.uid}.${each}`) : [action],
      id: `${type.uid}.${name}`,
      summary: isBatch ? `Several writes of ${type.displayName}` : `${name} of ${type.displayName}`,
      tag: type.displayName,
      parameters: isBatch ? ['fields', 'populate'] : ['fields', 'populate', 'locale'],
      ...(isBatch ? { body: BATCH } : {}),
      answers: { 200: dataOf(answer) },
    };
  });
}

const BATCH: Schema = {
  type: 'object',
  properties: { operations: { type: 'array', items: { type: 'object' } } },
};

const bracesOf = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');
