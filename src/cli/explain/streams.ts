/** Says which types a stream of changes sends to a caller, which it omits, and why. */
import { type Grants, may } from '../../access/grants.ts';
import type { Viewer } from '../../access/view.ts';
import type { App } from '../../app.ts';
import { receivableTypes } from '../../events/recipients.ts';
import { isNamed, namesOf } from '../../http/routes/event-routes.ts';
import { guardBeforeStart, type ReadAction, reasonsOf } from '../../runtime/streams.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { ExplainedRequest } from './request.ts';

/** The caller of a stream. */
export interface Listening {
  readonly grants: Grants;
  readonly viewer: Viewer;
}

/** Lines about the types that a request for a stream names, or else about all types. */
export function streamText(app: App, { target }: ExplainedRequest, { grants, viewer }: Listening): string[] {
  const { catalog } = app;
  const query = new URLSearchParams(target.split('?', 2)[1] ?? '');
  const names = namesOf(query.get('types') ?? undefined);
  const documentId = query.get('documentId') || undefined;
  const requested = [...catalog.contentTypes.values()].filter(
    (type) => type.routed && (!names || names.some((name) => isNamed(type, name))),
  );
  const heard = receivableTypes({ catalog, isGuarded: guardBeforeStart(app) }, viewer, documentId);
  const sent = requested.filter((type) => heard.includes(type));
  const why = (type: ContentType): string => {
    const action: ReadAction = documentId !== undefined && !may(grants, `${type.uid}.find`) ? 'findOne' : 'find';
    const name = `${type.uid}.${action}`;
    if (may(grants, name) && !grants.closed.has(type.uid)) return reasonsOf(app, type, action).join('; ');
    const closed = may({ ...grants, closed: new Map() }, name);
    return closed ? (grants.closed.get(name) ?? `${type.uid} is closed`) : `${action} is not granted`;
  };
  const omitted = Map.groupBy(
    requested.filter((type) => !sent.includes(type)),
    why,
  );
  return [
    ...(sent.length > 0 ? [`sent      ${uidsOf(sent)}`] : []),
    ...Array.from(omitted, ([reason, types]) => `omitted   ${uidsOf(types)}: ${reason}`),
  ];
}

const uidsOf = (types: readonly ContentType[]): string => types.map(({ uid }) => uid).join(', ');
