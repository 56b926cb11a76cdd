/**
 * Galley's own actions of content types (docs/reference/extensions.md): `POST /:plural/:documentId/actions/publish`,
 * `unpublish` and `discard-draft`, the same of single types, and `POST /:plural/actions/batch` for several writes in one
 * transaction.
 */
import { ownRoutesOf } from '../../access/actions.ts';
import { requireAction } from '../../access/authorize.ts';
import type { Viewer } from '../../access/view.ts';
import { type Operation, type Outcome, runBatch } from '../../content/documents/batch.ts';
import { TRANSITIONS, type TransitionName } from '../../content/documents/transitions.ts';
import { documentEnvelope, type OneText } from '../../content/reading/answers.ts';
import { validation } from '../../errors.ts';
import { atOperation, BATCH_ACTIONS, located, parseBatch, type RawOperation } from '../../query/batch.ts';
import type { RawObject } from '../../query/params.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { preconditionOf, sendDocument } from '../protocol/entity-tag.ts';
import { sendJson } from '../protocol/reply.ts';
import { answerLimit, inWantedFormat } from '../protocol/v4-format.ts';
import { askPolicies, policed, requireOpen } from './code/policed.ts';
import type { HttpContext } from './context.ts';
import { guarded, type Handler, paramsOf, pathParam, type Route } from './routes.ts';
import { deletedLocales, namedLocales, writeOf } from './write-params.ts';

/** Routes of publication for every type with drafts, without those that project code replaces. */
export function actionRoutes(context: HttpContext): Route[] {
  const types = [...context.catalog.contentTypes.values()].filter((type) => type.routed);
  const taken = context.running?.ownNames;
  return types.flatMap((type) =>
    ownRoutesOf(type).flatMap(({ name, action, path }) => {
      if (taken?.has(action) || !isTransition(name)) return [];
      const handler = transition(context, type, name, action);
      return [{ path, methods: { POST: policed(context, action, guarded(action, handler)) } }];
    }),
  );
}

const isTransition = (name: string): name is TransitionName => (TRANSITIONS as readonly string[]).includes(name);

function transition(context: HttpContext, type: ContentType, name: TransitionName, action: string): Handler {
  const { catalog, reader, transitions } = context;
  return async ({ request, reply, viewer }) => {
    requireOpen(context, action);
    const params = paramsOf(request);
    reader.check(type, viewer, params);
    const { fields, populate, locale } = params;
    const moved = await transitions.run({
      name,
      type,
      viewer,
      documentId: type.kind === 'singleType' ? undefined : pathParam(request, 'documentId'),
      locales: await namedLocales(context, type, locale),
      shape: { fields, populate },
      ...answerLimit(request),
      precondition: preconditionOf(request),
    });
    const answers = moved.map((answer) => inWantedFormat(catalog, type, request, answer));
    if (!isSeveral(type, locale)) return sendDocument(reply, answers[0]);
    const data = `[${answers.map((answer) => answer.data).join()}]`;
    return sendJson(reply, documentEnvelope({ data, version: undefined }));
  };
}

/** True where a `locale` may name several versions, so that the answer is a list of any length. */
export function isSeveral(type: ContentType, locale: unknown): boolean {
  return type.localized && (Array.isArray(locale) || locale === '*');
}

/** Routes of batches for every collection type. */
export function batchRoutes(context: HttpContext): Route[] {
  const types = [...context.catalog.contentTypes.values()].filter((type) => type.routed);
  return types.flatMap((type) =>
    ownRoutesOf(type)
      .filter(({ name }) => name === 'batch')
      .map(({ path, action }) => ({
        path,
        methods: {
          POST: {
            // a caller without any right to write is refused, whatever the body
            needs: BATCH_ACTIONS.map((name) => `${type.uid}.${name}`),
            before: () => requireOpen(context, action),
            handler: batch(context, type),
          },
        },
      })),
  );
}

function batch(context: HttpContext, type: ContentType): Handler {
  const { reader, config } = context;
  return async ({ request, reply, caller, viewer }) => {
    const params = paramsOf(request);
    reader.check(type, viewer, params);
    const raw = parseBatch(request.body, config.rest.maxBatch);
    raw.forEach(({ action }, index) => {
      atOperation(index, () => requireAction(caller.grants, `${type.uid}.${action}`));
    });
    for (const [index, { action, documentId }] of raw.entries()) {
      const named = documentId === undefined ? {} : { documentId };
      const permitted = askPolicies(context, `${type.uid}.${action}`, { request, caller, viewer }, named);
      await permitted.catch((error) => {
        throw located(error, index);
      });
    }
    const shape = { fields: params['fields'], populate: params['populate'] };
    const operations: Operation[] = [];
    for (const [index, operation] of raw.entries()) {
      try {
        operations.push(limited(await operationOf(context, type, viewer, shape, operation), answerLimit(request)));
      } catch (error) {
        throw located(error, index);
      }
    }
    const wanted = <Text extends OneText>(text: Text): Text => inWantedFormat(context.catalog, type, request, text);
    const outcomes = await runBatch(context, operations);
    const data = outcomes.map((outcome, index) => outcomeJson(outcome, isSeveral(type, raw[index]!.locale), wanted));
    return sendJson(reply, documentEnvelope({ data: `[${data.join()}]`, version: undefined }));
  };
}

async function operationOf(
  context: HttpContext,
  type: ContentType,
  viewer: Viewer,
  shape: RawObject,
  { action, documentId = '', locale, status, data }: RawOperation,
): Promise<Operation> {
  if (action === 'create' || action === 'update') {
    const request = await writeOf(context, type, viewer, { locale, status, data: () => data, shape });
    return action === 'create' ? { action, request } : { action, request, documentId };
  }
  if (action === 'delete') {
    const locales = await deletedLocales(context, type, { locale, status });
    return { action, removal: { type, viewer, documentId, locales } };
  }
  if (!type.draftAndPublish) throw validation(`${type.uid} has no drafts: there is nothing to ${action}`);
  const locales = await namedLocales(context, type, locale);
  return { action: 'move', request: { name: action, type, viewer, documentId, locales, shape } };
}

/** Adds the limit of its answer to an operation. */
function limited(operation: Operation, limit: { readonly longest?: number }): Operation {
  return 'request' in operation
    ? ({ ...operation, request: { ...operation.request, ...limit } } as Operation)
    : operation;
}

/** The answer of one operation: an object, a list for a transition of possibly several versions, or null. */
function outcomeJson(outcome: Outcome, several: boolean, wanted: (text: OneText) => OneText): string {
  if (outcome === null) return 'null';
  if ('data' in outcome) return wanted(outcome).data;
  return several ? `[${outcome.map((version) => wanted(version).data).join()}]` : wanted(outcome[0]!).data;
}
