/** All routes of the server below the prefix of the API. Of two with one path the first answers. */
import { actionRoutes, batchRoutes } from './action-routes.ts';
import { authRoutes } from './auth-routes.ts';
import { contentRoutes } from './content-routes.ts';
import type { HttpContext } from './context.ts';
import { eventRoutes } from './event-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { localeRoutes } from './locale-routes.ts';
import { openApiRoutes } from './openapi-routes.ts';
import type { Route } from './routes.ts';
import { schemaRoutes } from './schema-routes.ts';
import { roleRoutes, userRoutes } from './user-routes.ts';

/** The routes of content types, of the built-in plugins, and Galley's own. */
export function serverRoutes(context: HttpContext): Route[] {
  return [
    ...contentRoutes(context),
    ...fileRoutes(context),
    ...localeRoutes(context),
    ...authRoutes(context),
    ...userRoutes(context),
    ...roleRoutes(context),
    ...schemaRoutes(context),
    ...actionRoutes(context),
    ...batchRoutes(context),
    ...eventRoutes(context),
    ...openApiRoutes(context),
  ];
}
