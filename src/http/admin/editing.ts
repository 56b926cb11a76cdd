/** The services with which the administration reads and writes documents. */
import type { EditingServices } from '../../content/administration/document-states.ts';
import { duplicateDocument } from '../../content/administration/duplicate.ts';
import { USER_UID } from '../../schema/catalog.ts';
import { EditedAccounts } from '../../users/accounts/edited-accounts.ts';
import type { HttpContext } from '../routes/context.ts';

type Services = Pick<HttpContext, 'running' | 'database' | 'reader' | 'writer' | 'transitions' | 'users'>;

/** The services of a project, with its code around them where any runs. */
export function editingServices(context: Services): EditingServices {
  const { running, database, reader, writer, transitions, users } = context;
  if (running) return running.administration.editing;
  return {
    database,
    reader,
    writer,
    transitions,
    together: (work) => transitions.together(work),
    duplicate: (viewer, type, documentId) => duplicateDocument(context, viewer, type, documentId),
    writers: new Map([[USER_UID, new EditedAccounts(users)]]),
  };
}
