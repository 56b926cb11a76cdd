/**
 * `POST /:plural/:documentId/actions/publish`, `unpublish` and `discard-draft`, and the same of single types: ours
 * (docs/reference/extensions.md).
 */

import { ownRoutesOf } from '../../access/actions.ts';
import type { TransitionName } from '../../content/documents/transitions.ts';
import { documentEnvelope } from '../../content/reading/answers.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { preconditionOf, sendDocument } from '../protocol/entity-tag.ts';
import { sendJson } from '../protocol/reply.ts';
import { answerLimit, inWantedFormat } from '../protocol/v4-format.ts';
import { requireOpen } from './batch-routes.ts';
import { policed } from './code/policed.ts';
import type { HttpContext } from './context.ts';
import { guarded, type Handler, paramsOf, pathParam, type Route } from './routes.ts';
import { namedLocales } from './write-params.ts';

/** Routes of every type of the project that has drafts, but for what its code does under the same name. */
export function actionRoutes(context: HttpContext): Route[] {
  const types = [...context.catalog.contentTypes.values()].filter((type) => type.routed);
  const taken = context.running?.ownNames;
  return types.flatMap((type) =>
    ownRoutesOf(type).flatMap(({ name, action, path }) =>
      name === 'batch' || taken?.has(action)
        ? []
        : [
            {
              path,
              methods: { POST: policed(context, action, guarded(action, transition(context, type, name, action))) },
            },
          ],
    ),
  );
}

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

/** Whether a `locale` may name several versions, so that the answer is a list: whatever the number that there are. */
export function isSeveral(type: ContentType, locale: unknown): boolean {
  return type.localized && (Array.isArray(locale) || locale === '*');
}
