/** The log of actions, for administrators with the reference's rights. No route changes it. */
import { Readable } from 'node:stream';
import type { Entry } from '../../audit/entry.ts';
import { wrongFilters } from '../../audit/filter-names.ts';
import { allEntries, type EntryQuery, entriesOf, exportAction, filterValues } from '../../audit/stored-entries.ts';
import { readArrangements } from '../../content/administration/arrangement.ts';
import { documentNames } from '../../content/administration/named-versions.ts';
import type { Database } from '../../db/interface/database.ts';
import { at, Failures } from '../../failures.ts';
import { momentOrDayOf } from '../../plain-values.ts';
import { sendJson } from '../protocol/reply.ts';
import type { HttpContext } from '../routes/context.ts';
import { paramsOf, rowIdOf } from '../routes/routes.ts';
import type { AdminCall, AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData } from './answers.ts';
import { editingServices } from './editing.ts';
import { withRight, withRights } from './settings-rights.ts';

const READ = 'admin::audit-logs.read';
const EXPORT = 'admin::audit-logs.export';
/** Entries of a page. */
const PAGE = 50;
/** Characters of a value to filter by. */
const LONGEST = 300;

export function auditRoutes(context: HttpContext): AdminRoute[] {
  const { config, database } = context;
  const { audit } = config;
  const { reader } = editingServices(context);
  /** Entries with the present names of documents, as far as the administrator is shown them: the log has no content. */
  const named = async (call: AdminCall, entries: readonly Entry[]): Promise<readonly Entry[]> => {
    const documents = entries.flatMap(({ subject }) => documentOf(subject) ?? []);
    const arrangements = await readArrangements(database);
    const nameOf = await documentNames(reader, call.viewer('read'), arrangements, documents);
    return entries.map((entry) => {
      const { subject, details } = entry;
      const document = documentOf(subject);
      const [locale] = Array.isArray(details['locales']) ? details['locales'] : [];
      return subject && document
        ? { ...entry, subject: { ...subject, name: nameOf(document, locale) ?? null } }
        : entry;
    });
  };
  const list: AdminHandler = async (call) => {
    const { wanted, cursor: after } = await queryOf(context, call, [...FILTERED, 'cursor']);
    const { entries, next } = await entriesOf(database, wanted, { order: 'newest first', after, most: PAGE });
    return sendJson(
      call.reply,
      JSON.stringify({ data: await named(call, entries), meta: { next: next === undefined ? null : String(next) } }),
    );
  };
  const filters: AdminHandler = async (call) => {
    const { actor, subject_type: types, action } = await filterValues(database);
    return sendData(call.reply, {
      days: audit?.days ?? null,
      actors: actor.map(({ value, name }) => ({ value, name })),
      types: types.map(({ value }) => value),
      actions: action.map(({ value }) => value),
    });
  };
  const exported: AdminHandler = async (call) => {
    const { wanted } = await queryOf(context, call, FILTERED);
    await database.transaction(async (tx) => tx.recordAction(exportAction(wanted)));
    const name = `audit-log-${new Date().toISOString().slice(0, 10)}.ndjson`;
    return call.reply
      .header('content-type', 'application/x-ndjson; charset=utf-8')
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(Readable.from(linesOf(database, wanted), { objectMode: false }));
  };
  return [
    { path: '/audit', methods: { GET: withRight(READ, list) } },
    { path: '/audit/filters', methods: { GET: withRight(READ, filters) } },
    { path: '/audit/export', methods: { GET: withRights([READ, EXPORT], exported) } },
  ];
}

/** A subject that the log does not name, as a document. */
const documentOf = (subject: Entry['subject']) =>
  subject?.name === null && subject.id !== null ? { uid: subject.type, documentId: subject.id } : undefined;

/** One line of JSON for each entry. The database is read as fast as the client reads. */
async function* linesOf(database: Database, wanted: EntryQuery): AsyncGenerator<string> {
  for await (const entries of allEntries(database, wanted))
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
}

/** The parameters that filter. */
const FILTERED = ['actor', 'type', 'action', 'from', 'to'];

/** @param names of the parameters. @throws ContentError 400 with the names of all wrong parameters. */
async function queryOf(
  { catalog, database }: HttpContext,
  call: AdminCall,
  names: readonly string[],
): Promise<{ readonly wanted: EntryQuery; readonly cursor: number | undefined }> {
  const params = paramsOf(call.request);
  const failures = new Failures();
  failures.addUnknown(params, names);
  const textAt = (name: string): string | undefined => {
    const value = params[name];
    if (value === undefined) return undefined;
    if (typeof value === 'string' && value.length <= LONGEST && !value.includes('\0')) return value;
    failures.add(at(name), `${name} must be a text of at most ${LONGEST} characters`);
    return undefined;
  };
  const timeAt = (name: string): number | undefined => {
    const text = textAt(name);
    const time = momentOrDayOf(text);
    if (text === undefined || time !== undefined) return time;
    failures.add(at(name), `${name} must be a time such as 2026-11-29T09:00:00Z`);
    return undefined;
  };
  const wanted = {
    ...{ actor: textAt('actor'), type: textAt('type'), action: textAt('action') },
    ...{ from: timeAt('from'), to: timeAt('to') },
  };
  const text = textAt('cursor');
  const cursor = text === undefined ? undefined : rowIdOf(text);
  if (text !== undefined && cursor === undefined) failures.add(at('cursor'), 'cursor must be the next of another page');
  failures.throwAny();
  for (const { filter, message } of await wrongFilters(database, catalog, wanted)) {
    failures.add(at(filter), `${filter} ${message}`, wanted[filter]);
  }
  failures.throwAny();
  return { wanted, cursor };
}
