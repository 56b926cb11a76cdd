/** The document that a request of the administration is about. */
import type { FastifyRequest } from 'fastify';
import type { Address } from '../../content/administration/edited-documents.ts';
import { notFound } from '../../errors.ts';
import type { RawObject } from '../../query/params.ts';
import { parseLocale } from '../../query/parse.ts';
import type { HttpContext } from '../routes/context.ts';
import { pathParam } from '../routes/routes.ts';
import type { AdminCall } from './admin-route.ts';
import { shownType } from './shown-type.ts';

/** The word for the document of a single type in a path. */
const SINGLE = 'single';

/** The document in a path. @param isNamed whether the path has a document, or a type only. */
export function addressOf(context: HttpContext, call: AdminCall, locale: unknown, isNamed = true): Address {
  const type = shownType(context, call);
  // actions on one document report it as well
  if (isNamed && !call.viewer('read').view.may(`${type.uid}.findOne`)) throw notFound();
  const code = parseLocale(locale as RawObject[string]);
  const named = isNamed ? pathParam(call.request, 'documentId') : undefined;
  if (type.kind === 'singleType' || named !== SINGLE) {
    return { type, documentId: named === SINGLE ? undefined : named, locale: code };
  }
  throw notFound();
}

/** The locale that a body names. */
export const bodyLocale = ({ body }: FastifyRequest): unknown =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>)['locale'] : undefined;
