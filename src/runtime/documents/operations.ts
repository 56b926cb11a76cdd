/**
 * Operations on the documents of a type with the lifecycles of the rows that they read and write. Changes that a listener
 * makes to a row before it is written are stored in that row: on publishing, in the published row.
 */
import type { DocumentService } from '../../content/documents/document-types.ts';
import type { WriteRequest } from '../../content/documents/write-request.ts';
import { plainData } from '../../query/plain.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { NO_ENTRIES, type Notified } from './component-rows.ts';
import {
  type DocumentAction,
  entriesAsRead,
  noEntries,
  OPERATIONS,
  type OperationsContext,
  type OwnOperation,
  type Row,
  type Versions,
} from './document-actions.ts';
import {
  changesOf,
  copied,
  isSameData,
  knownData,
  putTimes,
  requireValid,
  stamp,
  withoutDefaults,
  written,
} from './known-data.ts';
import type { Moment, Params, States } from './lifecycles.ts';
import { HashedPasswords, ListenerValues } from './listener-values.ts';
import { namesVersion, pagedParams, plainParams, strictParams } from './plain-params.ts';
import { documentParams, listenerParams, reshaped, shapeOf } from './row-params.ts';
import { SharedRows, VersionRows, whereOf } from './version-rows.ts';

/** A read that is performed in another way as long as code leaves its parameters as they are. */
export interface PreparedRead {
  readonly params: CodeParams;
  readonly read: () => Promise<unknown>;
}

/** The parameters of a prepared read. They are computed when code looks at them. */
export class CodeParams {
  readonly #compute: () => Params;
  #shared: Params | undefined;
  #pristine: Params | undefined;
  /** Whether code may have changed them. */
  isTaken = false;

  /** @param compute gives the same parameters each time, in objects of their own. */
  constructor(compute: () => Params) {
    this.#compute = compute;
  }

  /** The parameters for code: several objects with the same values, whose changes in place count for each. */
  take(): Params {
    this.isTaken = true;
    this.#shared ??= this.#compute();
    return { ...this.#shared };
  }

  /** The parameters as no code has changed them. */
  get pristine(): Params {
    this.#pristine ??= this.#compute();
    return this.#pristine;
  }
}

/** The moments of reads. */
const READS: Readonly<Partial<Record<DocumentAction, Moment>>> = {
  findMany: 'FindMany',
  findFirst: 'FindOne',
  findOne: 'FindOne',
  count: 'Count',
};

/** The operations on one type, with their lifecycles. */
export class Operations {
  readonly #context: OperationsContext;
  readonly #type: ContentType;
  readonly #service: DocumentService<string>;
  readonly #own: OwnOperation | undefined;
  readonly #prepared: PreparedRead | undefined;
  readonly #shared: SharedRows;
  readonly #values: ListenerValues;
  readonly #rows: VersionRows;

  constructor(context: OperationsContext, type: ContentType, own?: OwnOperation, prepared?: PreparedRead) {
    this.#context = context;
    this.#type = type;
    this.#service = context.serviceOf(type.uid);
    this.#own = own;
    this.#prepared = prepared;
    this.#shared = new SharedRows(context.rooms.database, type, context.lifecycles);
    this.#values = new ListenerValues(context, type);
    this.#rows = new VersionRows(context, type);
  }

  run(action: DocumentAction, given: Params): Promise<unknown> {
    const { rooms } = this.#context;
    const params = this.#plain(given);
    const hasListeners = OPERATIONS[action] !== 'find' && this.#hasListeners('Create', 'Update', 'Delete');
    return hasListeners ? rooms.database.within(() => this.#run(action, params)) : this.#run(action, params);
  }

  #plain(given: Params): Params {
    const isStrict = this.#context.rooms.config.rest.strictDocuments && !this.#own;
    return plainParams(isStrict ? strictParams(given) : given, this.#type);
  }

  /** Whether a read has listeners. */
  hasReadListeners(action: DocumentAction): boolean {
    return this.#context.lifecycles.listens(this.#type.uid, READS[action]!);
  }

  /** The parameters by which a read is performed where no listener changes them. */
  readParams(action: DocumentAction, given: Params): Params {
    const params = this.#plain(given);
    return this.hasReadListeners(action) ? this.#asked(copied(listenerParams(params)), params) : params;
  }

  /** The parameters of a read after listeners have changed them. @param given the parameters before. */
  #asked(notified: Params, given: Params): Params {
    const { filters, documentId } = given;
    const { where: wanted, ...others } = documentParams(notified, given);
    const asked = { ...others, ...(documentId === undefined ? { filters: wanted } : { documentId, filters }) };
    return plainParams(asked, this.#type);
  }

  /** Whether writes of the type's rows, or of components within them, have listeners. */
  #hasListeners(...moments: Moment[]): boolean {
    const { lifecycles, components } = this.#context;
    return lifecycles.listens(this.#type.uid, ...moments) || components.haveListeners(this.#type);
  }

  /** A written row as listeners to its reading change it. */
  #read = (row: unknown, params: Params): Promise<unknown> =>
    this.#context.lifecycles.asRead(this.#type.uid, row, shapeOf(params));

  #run(action: DocumentAction, params: Params): Promise<unknown> {
    switch (action) {
      case 'findMany':
        return this.#reading(action, params, (found) => this.#service.findMany(pagedParams(this.#rows.asked(found))));
      case 'findFirst':
        return this.#reading(action, params, async (found) => {
          if (!namesVersion(this.#type, found)) return null;
          return (await this.#service.findMany({ ...pagedParams(this.#rows.asked(found)), limit: 1 }))[0] ?? null;
        });
      case 'count':
        return this.#reading(action, params, ({ start: _start, limit: _limit, ...found }) =>
          this.#service.count(this.#rows.asked(found)),
        );
      case 'findOne':
        return this.#reading(action, params, (found) => this.#service.findOne(this.#rows.asked(found) as never));
      case 'create':
        return this.#create(params);
      case 'update':
        return this.#update(params);
      case 'delete':
        return this.#delete(params);
      default:
        return this.#move(action, params);
    }
  }

  async #reading(action: DocumentAction, params: Params, service: OwnOperation): Promise<unknown> {
    const moment = READS[action]!;
    const { uid } = this.#type;
    const { named: ids } = this.#context;
    const named = async ({ filters, populate, ...rest }: Params) =>
      service({
        ...rest,
        ...(filters ? { filters: await ids.resolve(filters, this.#type, true) } : {}),
        ...(populate === undefined ? {} : { populate: await ids.resolvePopulated(populate, this.#type, true) }),
      });
    const prepared = this.#prepared;
    const read = async (found: Params) =>
      prepared && isSameData(found, this.readParams(action, prepared.params.pristine))
        ? prepared.read()
        : this.#rows.shaped(await (this.#own ?? named)(found), found);
    if (!this.#context.lifecycles.listens(uid, moment)) return read(params);
    const states: States = new Map();
    const before = await this.#notify(`before${moment}`, copied(listenerParams(params)), states);
    const result = await read(this.#asked(before.params, params));
    return (await this.#notify(`after${moment}`, before.params, states, result)).result;
  }

  #notify(action: `${'before' | 'after'}${Moment}`, params: Params, states: States, result?: unknown) {
    return this.#context.lifecycles.run(action, this.#type.uid, { params, result }, states);
  }

  async #create(params: Params): Promise<unknown> {
    const write =
      this.#own ??
      this.#context.writesOf(this.#type.uid)?.create ??
      (async (one = {}) =>
        this.#read(this.#rows.shaped(await this.#service.create(this.#known(one) as never), one), one));
    if (!this.#hasListeners('Create')) return write(params);
    if (!this.#own) requireValid(this.#context.rooms, this.#type, params['data'], true);
    const { draftAndPublish } = this.#type;
    const { components } = this.#context;
    const publishes = draftAndPublish && params['status'] === 'published';
    const passwords = new HashedPasswords(this.#context.rooms.catalog);
    const hidden = await passwords.hidden(this.#type, params['data'] ?? {});
    const [given, entries] = await components.writing(this.#type, hidden, undefined);
    const defaults = await this.#values.beside(given);
    const locale = await this.#values.locale(params['locale']);
    const data = { ...given, ...copied(defaults), publishedAt: stamp(draftAndPublish), ...locale };
    const first = await this.#before('Create', { where: {}, data, ...copied(shapeOf(params)) }, entries);
    const second = publishes
      ? await this.#copying({ ...first.data, publishedAt: stamp(false) }, first.data, params)
      : undefined;
    const asked = this.#reshaped(params, second ?? first);
    const left = passwords.restored(this.#type, withoutDefaults(written(first.data), defaults));
    const made = (await write({ ...asked, data: left })) as Row;
    const at = { documentId: made.documentId, locale: params['locale'] };
    const state = draftAndPublish ? 'draft' : 'published';
    if (!second) return this.#after('Create', first, made, at, state);
    await this.#after('Create', first, await this.#rows.row(at, 'draft'), at, 'draft');
    return this.#after('Create', second, await this.#settled(second, made, at, asked), at, 'published');
  }

  async #update(params: Params): Promise<unknown> {
    const { documentId, status, locale } = params;
    const write = this.#shared.noting(
      this.#own ??
        this.#context.writesOf(this.#type.uid)?.update ??
        (async (one = {}) =>
          this.#read(this.#rows.shaped(await this.#service.update(this.#known(one) as never), one), one)),
    );
    if (!this.#hasListeners('Update', 'Create', 'Delete')) return write(params);
    const { components } = this.#context;
    const at = { documentId, locale };
    const [draft, published] = [await this.#rows.row(at, 'draft'), await this.#rows.row(at, 'published')];
    const known = this.#type.draftAndPublish ? draft : published;
    // a version in another locale is made
    const moment = known ? 'Update' : 'Create';
    if (!known && !(await this.#rows.exists(documentId))) return write(params);
    if (!this.#own) requireValid(this.#context.rooms, this.#type, params['data'], !known);
    const state = this.#type.draftAndPublish ? 'draft' : 'published';
    const publishes = state === 'draft' && status === 'published';
    const where = known ? { id: known.id } : {};
    const whole = await this.#rows.whole(at, state);
    const passwords = new HashedPasswords(this.#context.rooms.catalog);
    const hidden = await passwords.hidden(this.#type, params['data'] ?? {});
    const [given, entries] = await components.writing(this.#type, hidden, whole);
    const other = async (populate: Params) => (await this.#rows.rows({ documentId, locale: '*' }, { populate }))[0];
    const defaults = known ? {} : await this.#values.beside(given, other);
    const beside = { publishedAt: stamp(this.#type.draftAndPublish), ...(await this.#values.locale(locale)) };
    const shown = { ...given, ...copied(defaults), ...beside };
    const firstData = known ? shown : { ...shown, documentId };
    const first = await this.#before(moment, { where, data: firstData, ...copied(shapeOf(params)) }, entries);
    const removed =
      publishes && published ? await this.#removing(published, await this.#rows.whole(at, 'published')) : undefined;
    const { id: _id, ...before } = known ? { ...known, ...(await this.#values.hashes(known.id)) } : {};
    const { updatedAt } = first.data;
    const data = { ...before, ...written(first.data), updatedAt, documentId, publishedAt: stamp(false) };
    const copy = components.merged(this.#type, whole, first.data);
    const second = publishes ? await this.#copying(data, copy, params) : undefined;
    const asked = this.#reshaped(params, second ?? first);
    const values = passwords.restored(this.#type, withoutDefaults(written(first.data), defaults));
    const made = (await write({ ...asked, data: values })) as Row | null;
    if (!made) return null;
    const left = second ? await this.#settled(second, made, at, asked) : made;
    await this.#after(moment, first, second ? await this.#rows.row(at, 'draft') : made, at, state);
    if (removed) await this.#afterRemoval(removed, published!);
    if (second) await this.#after('Create', second, left, at, 'published');
    await this.#changeShared(known?.['locale']);
    return left;
  }

  async #delete(params: Params): Promise<unknown> {
    const write =
      this.#own ??
      this.#context.writesOf(this.#type.uid)?.delete ??
      (async (one = {}) => this.#rows.shaped(await this.#service.delete(this.#rows.asked(one) as never), one));
    if (!this.#hasListeners('Delete')) return write(params);
    const rows = await this.#rows.rows(params);
    const wholes = await this.#rows.wholes(params);
    const begun = [];
    for (const row of rows) begun.push({ row, notified: await this.#removing(row, wholes.get(row.id), params) });
    const result = await write(params);
    for (const { row, notified } of begun) await this.#afterRemoval(notified, row);
    return result;
  }

  /** Publishing, unpublishing, discarding and cloning: rows that are removed, and rows that are made. */
  async #move(action: 'publish' | 'unpublish' | 'discardDraft' | 'clone', params: Params): Promise<unknown> {
    const service = async (one: Params) => {
      const moved = this.#service[action](this.#known(one) as never);
      return action === 'clone' ? moved.catch(noEntries) : moved;
    };
    const write = this.#shared.noting(this.#own ?? service);
    const move = async () => this.#rows.shaped((await write(params)) as Versions, params);
    const isRead = action !== 'unpublish' && !this.#own;
    if (!this.#hasListeners('Create', 'Update', 'Delete'))
      return isRead ? entriesAsRead(await move(), (row) => this.#read(row, params)) : move();
    const rows = await this.#rows.rows(params);
    const wholes = await this.#rows.wholes(params);
    const { draftAndPublish } = this.#type;
    const isDraft = (row: Row) => draftAndPublish && row['publishedAt'] === null;
    const isSource = (row: Row) => isDraft(row) === (draftAndPublish && action !== 'discardDraft');
    const from = action === 'unpublish' ? [] : rows.filter(isSource);
    const goes = (row: Row) =>
      action === 'discardDraft' ? isDraft(row) && from.some(({ locale }) => locale === row['locale']) : !isDraft(row);
    const removed = [];
    for (const row of action === 'clone' ? [] : rows.filter(goes)) {
      removed.push({ row, notified: await this.#removing(row, wholes.get(row.id)) });
    }
    const begun = [];
    const passwords = new HashedPasswords(this.#context.rooms.catalog);
    const hidden = action === 'clone' ? await passwords.hidden(this.#type, params['data'] ?? {}) : {};
    for (const { id, documentId, ...data } of from) {
      // the copy has no document id yet
      const own = action === 'clone' ? hidden : { documentId };
      const made = {
        ...data,
        ...(await this.#values.hashes(id)),
        ...own,
        publishedAt: stamp(draftAndPublish && action !== 'publish'),
      };
      const whole = this.#context.components.merged(this.#type, wholes.get(id), own);
      begun.push({ locale: data['locale'], notified: await this.#copying(made, whole, params) });
    }
    const result = await move();
    for (const { row, notified } of removed) await this.#afterRemoval(notified, row);
    const made = begun.length > 0 ? await this.#rows.rows({ ...params, documentId: result.documentId }) : [];
    const entries = [...result.entries];
    const target = action === 'publish' || !draftAndPublish ? 'published' : 'draft';
    for (const { locale, notified } of begun) {
      const row = made.find((one) => one['locale'] === locale && isDraft(one) === (target === 'draft'));
      const index = entries.findIndex(({ id }) => id === row?.id);
      if (row === undefined || index < 0) continue;
      const at = { documentId: row.documentId, locale };
      const left = await this.#settled(notified, entries[index]!, at, params, target);
      entries[index] = isRead ? ((await this.#read(left, params)) as Row) : left;
      await this.#after('Create', notified, entries[index], at, target);
    }
    await this.#changeShared(undefined);
    return { ...result, entries };
  }

  /** Notifies listeners of versions in other locales that took over shared values. @param own the written locale. */
  async #changeShared(own: unknown): Promise<void> {
    const versions = this.#shared.versions(own);
    if (versions.length === 0) return;
    const { populate } = this.#values;
    const begun = [];
    for (const version of versions) {
      const row = (await this.#rows.row(version, version.status, { populate }))!;
      const data = await this.#values.takenOver(row);
      begun.push({ version, notified: await this.#before('Update', { where: whereOf(version), data }) });
    }
    for (const { version, notified } of begun) {
      const row = await this.#rows.row(version, version.status);
      const left = await this.#settled(notified, row!, version, {}, version.status);
      await this.#after('Update', notified, left, version, version.status);
    }
  }

  /**
   * Stores the changes of listeners in a row that has been written.
   *
   * @param made the row as the operation returned it.
   * @param at names its document, and its locale.
   * @returns the row as it is now, in the shape that the operation gives.
   */
  async #settled(
    { shown, data, entries }: Notified,
    made: Row,
    at: Params,
    { fields, populate }: Params,
    status: 'draft' | 'published' = 'published',
  ): Promise<Row> {
    const { catalog, writer, narrowing } = this.#context.rooms;
    const ofEntries = entries === NO_ENTRIES ? {} : entries.changes((await this.#rows.whole(at, status))!);
    const changed = { ...ofEntries, ...written(changesOf(shown, data)) };
    const changes = knownData(catalog, this.#type, changed) as Params;
    if (Object.keys(changes).length === 0) return made;
    const request = { type: this.#type, viewer: narrowing.viewer, mayShare: true };
    await writer.updateRow({ ...request, data: plainData(changes) as WriteRequest['data'] }, made.documentId, made.id);
    return (await this.#rows.row(at, status, { fields, populate })) ?? made;
  }

  /** The parameters of a write, with the part of its data that the schema knows. */
  #known({ data, ...given }: Params): Params {
    const params = this.#rows.asked(given);
    return data === undefined ? params : { ...params, data: knownData(this.#context.rooms.catalog, this.#type, data) };
  }

  /** Notifies listeners before a row is changed. @param entries those of the row, whose listeners have been notified. */
  async #before(moment: Moment, params: Params, entries = NO_ENTRIES): Promise<Notified> {
    const states: States = new Map();
    putTimes(moment, params['data']);
    const shown = copied(params['data']);
    const notified = await this.#notify(`before${moment}`, params, states);
    return { states, params: notified.params, data: (notified.params['data'] ?? {}) as Params, shown, entries };
  }

  /** Notifies listeners before a row is created as a copy. @param whole the original with all entries. */
  async #copying(data: Params, whole: Params, params: Params): Promise<Notified> {
    const entries = await this.#context.components.copying(this.#type, whole);
    return this.#before('Create', { where: {}, data, ...copied(shapeOf(params)) }, entries);
  }

  /** The parameters of a write whose result listeners may have reshaped. Responses to callers keep their shape. */
  #reshaped(params: Params, { params: left }: Notified): Params {
    return this.#own ? params : reshaped(params, shapeOf(params), left);
  }

  /** Notifies listeners before a row is removed. @param whole the row with all entries. */
  async #removing({ id }: Row, whole: Row | null | undefined, params: Params = {}): Promise<Notified> {
    const notified = await this.#before('Delete', { where: { id }, ...copied(shapeOf(params)) });
    return { ...notified, entries: await this.#context.components.removing(this.#type, whole) };
  }

  /** Notifies listeners after a row was changed, and returns the row, which they may have changed. @param at as in `#settled`. */
  async #after<T>(
    moment: Moment,
    { states, params, entries }: Notified,
    row: T,
    at: Params,
    status: 'draft' | 'published',
  ): Promise<T> {
    await entries.end(() => this.#rows.whole(at, status));
    await this.#notify(`after${moment}`, params, states, row);
    return row;
  }

  /** Notifies listeners after a row and its entries were removed. */
  async #afterRemoval({ states, params, entries }: Notified, row: Row): Promise<void> {
    await this.#notify('afterDelete', params, states, row);
    await entries.end(async () => null);
  }
}
