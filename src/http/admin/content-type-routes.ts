/** Content types and components of the project, which are changed for development only. */
import { type ContentError, validation } from '../../errors.ts';
import { commandText } from '../../own-files.ts';
import { isObject, isValueDeeper } from '../../plain-values.ts';
import type { EditedKind, EditingState, Keeping, SchemaChange, SchemaChanges } from '../../schema/editing/editing.ts';
import { limitRate } from '../protocol/rate-limit.ts';
import type { HttpContext } from '../routes/context.ts';
import type { AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData, timeOf } from './answers.ts';
import { withRight } from './settings-rights.ts';

/** The right of the reference for its content-type builder. */
const RIGHT = 'plugin::content-type-builder.read';
/** Bounds of one request. */
const MOST_CHANGES = 200;
const MOST_RENAMES = 1000;
const LONGEST_NAME = 200;
/** Plans of an administrator: each reads and checks all files. The page makes one at each step. */
const PLANS = { max: 300, windowMs: 60_000 };
/** Levels of objects and lists in a schema: conditions have the most. */
const DEEPEST = 50;

export function contentTypeRoutes({ schemaEditing, http, config }: HttpContext): AdminRoute[] {
  const described = describedBy(commandText('dev', config.dir));
  const by = (handler: AdminHandler): AdminHandler => withRight(RIGHT, handler);
  const read = by(async (call) => sendData(call.reply, described(await schemaEditing.state())));
  const plans = http.limits.of('plans of content types', PLANS);
  const plan = by(async (call) => {
    await limitRate(plans, String(call.administrator.row.id), call.reply);
    return sendData(call.reply, await schemaEditing.plan(changesOf(call.request.body)));
  });
  const apply = by(async (call) =>
    sendData(call.reply, described(await schemaEditing.apply(changesOf(call.request.body)))),
  );
  const undo = by(async (call) => sendData(call.reply, described(await schemaEditing.undo())));
  return [
    { path: '/content-types', methods: { GET: read, POST: apply } },
    { path: '/content-types/plan', methods: { POST: plan } },
    { path: '/content-types/undo', methods: { POST: undo } },
  ];
}

/** @param command starts the project for development. */
const describedBy =
  (command: string) =>
  ({ reason, undo, types, problems }: EditingState) => ({
    isEditable: reason === null,
    reason,
    command,
    undo: undo && { at: timeOf(undo.at), uids: undo.uids },
    types,
    problems,
  });

/** @throws ContentError 400 naming the place in the body. */
function changesOf(body: unknown): SchemaChanges {
  const { changes, keep = {} } = isObject(body) ? body : {};
  if (!Array.isArray(changes)) throw wrong(['changes'], 'must be a list');
  if (changes.length > MOST_CHANGES) throw wrong(['changes'], `has at most ${MOST_CHANGES} entries`);
  const kept = isObject(keep) ? Object.entries(keep) : [];
  if (!isObject(keep) || !kept.every(([, how]) => KEEPINGS.has(how))) {
    throw wrong(['keep'], 'must be an object with the value archive or publish for each name');
  }
  const read = changes.map((change, i) => changeOf(change, ['changes', i]));
  const uids = new Set<string>();
  read.forEach(({ uid, renamedFrom = uid }, i) => {
    for (const one of new Set([uid, renamedFrom])) {
      if (uids.has(one)) throw wrong(['changes', i, 'uid'], `${one} appears twice`);
      uids.add(one);
    }
  });
  return { changes: read, keep: new Map(kept as [string, Keeping][]) };
}

const KEEPINGS: ReadonlySet<unknown> = new Set<Keeping>(['archive', 'publish']);
const KINDS: readonly EditedKind[] = ['collectionType', 'singleType', 'component'];

function changeOf(value: unknown, at: readonly (string | number)[]): SchemaChange {
  if (!isObject(value)) throw wrong(at, 'must be an object');
  const { uid, revision, schema, renames = {}, renamedFrom } = value;
  const kind = KINDS.find((one) => one === value['kind']);
  if (!isName(uid)) throw wrong([...at, 'uid'], 'must be a uid');
  if (!kind) throw wrong([...at, 'kind'], `must be one of ${KINDS.join(', ')}`);
  if (revision !== null && !isName(revision)) throw wrong([...at, 'revision'], 'must be a revision or null');
  if (schema !== null && !isObject(schema)) throw wrong([...at, 'schema'], 'must be an object or null');
  if (isValueDeeper(schema, DEEPEST)) throw wrong([...at, 'schema'], `has at most ${DEEPEST} levels`);
  if (!hasTexts(schema)) throw wrong([...at, 'schema'], 'has a key that no schema has: toString or valueOf');
  if (renamedFrom !== undefined && !isName(renamedFrom)) throw wrong([...at, 'renamedFrom'], 'must be a uid');
  const entries = isObject(renames) ? Object.entries(renames) : undefined;
  if (!entries || entries.length > MOST_RENAMES || !entries.every((pair) => pair.every(isName))) {
    throw wrong([...at, 'renames'], 'must be an object with a name for each name');
  }
  return { uid, kind, revision, schema, renames: new Map(entries as [string, string][]), renamedFrom };
}

/** Whether each object of a schema can be converted to a text, as messages about mistakes do. */
const hasTexts = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (!Object.hasOwn(value, 'toString') && !Object.hasOwn(value, 'valueOf') && Object.values(value).every(hasTexts));

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME;

function wrong(path: readonly (string | number)[], message: string): ContentError {
  const text = `${path.join('.')} ${message}`;
  return validation(text, { errors: [{ path, message: text, name: 'ValidationError' }] });
}
