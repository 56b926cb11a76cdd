/**
 * Paths of documents and of their configuration in the administration API. Their handlers are loaded by the first
 * request.
 */
import { loaded } from '../../errors.ts';
import type { HttpContext } from '../routes/context.ts';
import type { AdminHandler, AdminRoute } from './admin-route.ts';
import type { DocumentHandlers } from './document-handlers.ts';

export function documentRoutes(context: HttpContext): AdminRoute[] {
  let handlers: DocumentHandlers | undefined;
  const by =
    (name: keyof DocumentHandlers): AdminHandler =>
    async (call) => {
      const module = await loaded(import('./document-handlers.ts'), 'Documents cannot be edited at the moment');
      handlers ??= module.documentHandlers(context);
      return handlers[name](call);
    };
  const document = '/content/:uid/:documentId';
  return [
    { path: '/content/:uid', methods: { POST: by('create') } },
    { path: '/content/:uid/bulk/uses', methods: { POST: by('usesOfSeveral') } },
    { path: document, methods: { GET: by('read'), PUT: by('save'), DELETE: by('remove') } },
    { path: `${document}/publish`, methods: { POST: by('publish') } },
    { path: `${document}/unpublish`, methods: { POST: by('unpublish') } },
    { path: `${document}/discard`, methods: { POST: by('discard') } },
    { path: `${document}/duplicate`, methods: { POST: by('duplicate') } },
    { path: `${document}/versions`, methods: { GET: by('versions') } },
    { path: `${document}/versions/:id`, methods: { GET: by('version') } },
    { path: `${document}/versions/:id/restore`, methods: { POST: by('restore') } },
    { path: `${document}/filled`, methods: { GET: by('filled') } },
    { path: `${document}/preview`, methods: { GET: by('preview') } },
    { path: `${document}/presence`, methods: { POST: by('presence') } },
    { path: `${document}/uses`, methods: { GET: by('uses') } },
    { path: `${document}/relations/:attribute`, methods: { GET: by('links') } },
    { path: '/layout/:uid', methods: { GET: by('arrangement'), PUT: by('arrangeAnew') } },
    { path: '/relations/:uid/:attribute', methods: { GET: by('choices') } },
    { path: '/uid/:uid/:attribute', methods: { GET: by('uid') } },
  ];
}
