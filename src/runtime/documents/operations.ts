/**
 * Operations on the documents of a type with the lifecycles of the rows that they read and write. Changes that a listener
 * makes to a row before it is written are stored in that row: on publishing, in the published row.
 */
import { isDeepStrictEqual } from 'node:util';
import type { DocumentService } from '../../content/documents/document-types.ts';
import type { WriteRequest } from '../../content/documents/write-request.ts';
import { notFound, refusal, validation } from '../../errors.ts';
import { plainData } from '../../query/plain.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { unsupported } from '../guarded.ts';
import { NO_ENTRIES, type Notified } from './component-rows.ts';
import { CopiedLinks } from './copied-links.ts';
import {
  AROUND_WRITES,
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
import { ListenerLinks } from './listener-links.ts';
import { HashedPasswords, ListenerValues } from './listener-values.ts';
import { isPlain, namesVersion, pagedParams, plainParams, strictParams } from './plain-params.ts';
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

  constructor(compute: () => Params) {
    this.#compute = compute;
  }

  /** The parameters for code: several objects with the same values, whose changes in place count for each. */
  take(): Params {
    this.isTaken = true;
    this.#shared ??= copied(this.pristine);
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

/** The moment of a read. */
export const momentOf = (action: DocumentAction): Moment => READS[action]!;

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
  readonly #links: CopiedLinks;
  /** Whether middlewares have left the parameters of a prepared read as they are. */
  #isPristine = false;

  constructor(context: OperationsContext, type: ContentType, own?: OwnOperation, prepared?: PreparedRead) {
    this.#context = context;
    this.#type = type;
    this.#service = context.serviceOf(type.uid);
    this.#own = own;
    this.#prepared = prepared;
    this.#shared = new SharedRows(context.runtime.database, type, context.lifecycles);
    this.#values = new ListenerValues(context, type);
    this.#rows = new VersionRows(context, type);
    this.#links = new CopiedLinks(context, type, this.#rows);
  }

  run(action: DocumentAction, given: Params): Promise<unknown> {
    const { runtime } = this.#context;
    const params = this.#plain(given);
    const { pristine } = this.#prepared?.params ?? {};
    this.#isPristine = pristine !== undefined && isSameData(given, pristine);
    if (action === 'delete' && given['status'] === 'draft' && this.#type.draftAndPublish) {
      throw validation('Documents are deleted with their drafts and published versions');
    }
    const hasListeners = OPERATIONS[action] !== 'find' && this.#hasListeners(...AROUND_WRITES);
    return hasListeners ? runtime.database.within(() => this.#run(action, params)) : this.#run(action, params);
  }

  #plain(given: Params): Params {
    const isStrict = this.#context.runtime.config.rest.strictDocuments && !this.#own;
    return plainParams(isStrict ? strictParams(given) : given, this.#type, this.#context.runtime.catalog);
  }

  #hasReadListeners(action: DocumentAction): boolean {
    return this.#context.lifecycles.listens(this.#type.uid, momentOf(action));
  }

  /** The parameters by which a read is performed where no listener changes them. */
  readParams(action: DocumentAction, given: Params): Params {
    const params = this.#plain(given);
    return this.#hasReadListeners(action) ? this.#changedParams(copied(listenerParams(params)), params) : params;
  }

  /** The parameters of a read after listeners have changed them. @param params the parameters before. */
  #changedParams(notified: Params, params: Params): Params {
    const { filters, documentId } = params;
    const { where: wanted, filters: added, ...others } = documentParams(notified, params);
    const isSame = isNone(added) && isDeepStrictEqual(wanted, listenerParams(params)['where']);
    const conditions = isSame && documentId !== undefined ? { documentId, filters } : { filters: both(wanted, added) };
    return plainParams({ ...others, ...conditions }, this.#type, this.#context.runtime.catalog, !isSame);
  }

  /**
   * The rows that the reference finds for an operation before it writes them: listeners to reading may change the
   * conditions, and take rows away.
   *
   * @param rows those that the conditions name.
   */
  async #found(moment: 'FindOne' | 'FindMany', where: Params, rows: readonly Row[], shape: Params = {}) {
    if (!this.#context.lifecycles.listens(this.#type.uid, moment)) return rows;
    const states: States = new Map();
    const { params } = await this.#notify(`before${moment}`, { where: copied(where), ...copied(shape) }, states);
    const matching = await this.#meeting(rows, both(params['where'], params['filters']), where);
    const read = matching.map((row) => ({ ...row }));
    const result = moment === 'FindMany' ? read : (read[0] ?? null);
    const after = await this.#notify(`after${moment}`, params, states, result);
    const ids = new Set([after.result].flat().map((row) => (row as Row | null)?.id));
    return matching.filter(({ id }) => ids.has(id));
  }

  /**
   * The rows that meet the conditions `where`, which listeners may have changed. @param announced the conditions that
   * listeners received.
   */
  async #meeting(rows: readonly Row[], where: unknown, announced: Params): Promise<readonly Row[]> {
    if (rows.length === 0 || isDeepStrictEqual(where, announced)) return rows;
    if (!isPlain(where) || isNone(where))
      return unsupported(`conditions of a lifecycle of ${this.#type.uid} that are not an object of conditions`);
    return this.#rows.meeting(rows, where);
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
        return this.#reading(action, params, (found) =>
          this.#service.findMany(pagedParams(this.#rows.requested(found))),
        );
      case 'findFirst':
        return this.#reading(action, params, async (found) => {
          if (!namesVersion(this.#type, found)) return null;
          return (await this.#service.findMany({ ...pagedParams(this.#rows.requested(found)), limit: 1 }))[0] ?? null;
        });
      case 'count':
        return this.#reading(action, params, ({ start: _start, limit: _limit, ...found }) =>
          this.#service.count(this.#rows.requested(found)),
        );
      case 'findOne':
        return this.#reading(action, params, async (found) => {
          const requested = this.#rows.requested(found);
          if (found['documentId'] !== undefined) return this.#service.findOne(requested as never);
          // listeners have other conditions than the document's id
          return (await this.#service.findMany({ ...requested, limit: 1 }))[0] ?? null;
        });
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
    const read = async (found: Params) => this.#rows.shaped(await (this.#own ?? named)(found), found);
    const unchanged = this.#isPristine ? this.#prepared : undefined;
    if (!this.#context.lifecycles.listens(uid, moment)) return unchanged ? unchanged.read() : read(params);
    const states: States = new Map();
    const announced = listenerParams(params);
    const before = await this.#notify(`before${moment}`, copied(announced), states);
    const result =
      unchanged && isSameData(before.params, announced)
        ? await unchanged.read()
        : await read(this.#changedParams(before.params, params));
    return (await this.#notify(`after${moment}`, before.params, states, result)).result;
  }

  #notify(action: `${'before' | 'after'}${Moment}`, params: Params, states: States, result?: unknown) {
    return this.#context.lifecycles.run(action, this.#type.uid, { params, result }, states);
  }

  /** The data of a write as listeners receive it, and the conversion of their changes to data of a write. */
  async #shown({ data, locale }: Params) {
    const passwords = new HashedPasswords(this.#context.runtime.catalog);
    const hidden = await passwords.hidden(this.#type, data ?? {});
    const links = new ListenerLinks(this.#context, this.#type);
    return {
      data: await links.shown(hidden, locale),
      /** @param defaults additional values of the data. */
      restored: (changed: Params, defaults: Params) =>
        passwords.restored(this.#type, links.restored(withoutDefaults(written(changed), defaults))),
    };
  }

  async #create(params: Params): Promise<unknown> {
    const write =
      this.#own ??
      this.#context.writesOf(this.#type.uid)?.create ??
      (async (one = {}) =>
        this.#read(this.#rows.shaped(await this.#service.create(this.#known(one) as never), one), one));
    const publishes = this.#type.draftAndPublish && params['status'] === 'published';
    if (!this.#hasListeners('Create')) {
      const row = (await write(params)) as Row;
      if (publishes) await this.#requireListed({ documentId: row?.documentId, locale: params['locale'] });
      return row;
    }
    if (!this.#own) requireValid(this.#context.runtime, this.#type, params['data'], true);
    const { draftAndPublish } = this.#type;
    const { components } = this.#context;
    const shown = await this.#shown(params);
    const [announced, entries] = await components.writing(this.#type, shown.data, undefined);
    const defaults = await this.#values.beside(announced);
    const locale = await this.#values.locale(params['locale']);
    const data = { ...announced, ...copied(defaults), publishedAt: stamp(draftAndPublish), ...locale };
    const first = await this.#before('Create', { where: {}, data, ...copied(shapeOf(params)) }, entries);
    const links = publishes ? await this.#links.of(undefined, first.data, 'published') : {};
    const second = publishes
      ? await this.#copying({ ...first.data, ...links, publishedAt: stamp(false) }, first.data, params)
      : undefined;
    const requested = this.#reshaped(params, second ?? first);
    const changed = shown.restored(first.data, defaults);
    const created = (await write({ ...requested, data: changed })) as Row;
    const at = { documentId: created.documentId, locale: params['locale'] };
    if (publishes) await this.#requireListed(at);
    const state = draftAndPublish ? 'draft' : 'published';
    if (!second) return this.#after('Create', first, created, at, state);
    await this.#after('Create', first, await this.#rows.row(at, 'draft'), at, 'draft');
    return this.#after('Create', second, await this.#settled(second, created, at, requested), at, 'published');
  }

  async #update(params: Params): Promise<unknown> {
    const { documentId, status, locale } = params;
    const write = this.#shared.noting(
      this.#own ??
        this.#context.writesOf(this.#type.uid)?.update ??
        (async (one = {}) =>
          this.#read(this.#rows.shaped(await this.#service.update(this.#known(one) as never), one), one)),
    );
    if (!this.#hasListeners(...AROUND_WRITES)) return write(params);
    const { components } = this.#context;
    const at = { documentId, locale };
    const [draft, published] = [await this.#rows.row(at, 'draft'), await this.#rows.row(at, 'published')];
    const known = this.#type.draftAndPublish ? draft : published;
    const state = this.#type.draftAndPublish ? 'draft' : 'published';
    const publishes = state === 'draft' && status === 'published';
    // a version in another locale is created
    const moment = known ? 'Update' : 'Create';
    const versions = known ? [known] : await this.#rows.rows({ documentId, locale: '*' });
    if (versions.length === 0) return write(params);
    if ((await this.#found('FindOne', { documentId }, versions)).length === 0) return this.#unseen();
    if (!this.#hasListeners('Update', 'Create', 'Delete')) {
      const row = await write(params);
      if (publishes) await this.#requireListed(at);
      return row;
    }
    if (!this.#own) requireValid(this.#context.runtime, this.#type, params['data'], !known);
    const where = known ? { id: known.id } : {};
    const whole = await this.#rows.whole(at, state);
    const shown = await this.#shown(params);
    const [announced, entries] = await components.writing(this.#type, shown.data, whole);
    const other = async (populate: Params) => (await this.#rows.rows({ documentId, locale: '*' }, { populate }))[0];
    const defaults = known ? {} : await this.#values.beside(announced, other);
    const beside = { publishedAt: stamp(this.#type.draftAndPublish), ...(await this.#values.locale(locale)) };
    const firstData = { ...announced, ...copied(defaults), ...beside, ...(known ? {} : { documentId }) };
    const first = await this.#before(moment, { where, data: firstData, ...copied(shapeOf(params)) }, entries);
    if (known && (await this.#meeting([known], first.params['where'], where)).length === 0) {
      // the reference makes another version then, which is refused
      throw refusal(`A version of the document ${documentId} of ${this.#type.uid} exists already`);
    }
    const removed =
      publishes && published ? await this.#removing(published, await this.#rows.whole(at, 'published')) : undefined;
    if (publishes && published && !removed) return this.#keepsSome();
    const { id: _id, ...before } = known ? { ...known, ...(await this.#values.hashes(known.id)) } : {};
    const { updatedAt } = first.data;
    const data = { ...before, ...written(first.data), updatedAt, documentId, publishedAt: stamp(false) };
    const copy = components.merged(this.#type, whole, first.data);
    const original = known ? ({ documentId, locale: known['locale'], status: 'draft' } as const) : undefined;
    const links = publishes ? await this.#links.of(original, first.data, 'published') : {};
    const second = publishes ? await this.#copying({ ...data, ...links }, copy, params) : undefined;
    const requested = this.#reshaped(params, second ?? first);
    const values = shown.restored(first.data, defaults);
    const updated = (await write({ ...requested, data: values })) as Row | null;
    if (!updated) return null;
    if (publishes) await this.#requireListed(at);
    const result = second ? await this.#settled(second, updated, at, requested) : updated;
    await this.#after(moment, first, second ? await this.#rows.row(at, 'draft') : updated, at, state);
    if (removed) await this.#afterRemoval(removed, published!);
    if (second) await this.#after('Create', second, result, at, 'published');
    await this.#changeShared(known?.['locale']);
    return result;
  }

  async #delete(params: Params): Promise<unknown> {
    const write =
      this.#own ??
      this.#context.writesOf(this.#type.uid)?.delete ??
      (async (one = {}) => this.#rows.shaped(await this.#service.delete(this.#rows.requested(one) as never), one));
    const { filters, ...unfiltered } = params;
    if (isNone(filters) && !this.#hasListeners('Delete', 'FindOne', 'FindMany')) return write(params);
    const rows = await this.#rows.rows(params);
    const wholes = await this.#rows.wholes(params);
    const { documentId } = params;
    const begun = [];
    for (const row of await this.#chosen(rows, params)) {
      const notified = await this.#removing(row, wholes.get(row.id), params);
      if (notified) begun.push({ row, notified });
    }
    if (rows.length > 0 && begun.length === 0) return this.#own ? this.#unseen() : { documentId, entries: [] };
    if (begun.length < rows.length) return this.#keepsSome();
    const result = await write(unfiltered);
    for (const { row, notified } of begun) await this.#afterRemoval(notified, row);
    return result;
  }

  /** Publishing, unpublishing, discarding and cloning: the rows that are removed and created. */
  async #move(action: 'publish' | 'unpublish' | 'discardDraft' | 'clone', params: Params): Promise<unknown> {
    const service = async (one: Params) => {
      const moved = this.#service[action](this.#known(one) as never);
      return action === 'clone' ? moved.catch(noEntries) : moved;
    };
    const write = this.#shared.noting(this.#own ?? service);
    const move = async () => this.#rows.shaped((await write(params)) as Versions, params);
    const isRead = action !== 'unpublish' && !this.#own;
    const isFiltered = action === 'unpublish' && !isNone(params['filters']);
    if (!isFiltered && !this.#hasListeners(...AROUND_WRITES))
      return isRead ? entriesAsRead(await move(), (row) => this.#read(row, params)) : move();
    const rows = await this.#rows.rows(params);
    const wholes = await this.#rows.wholes(params);
    const { draftAndPublish } = this.#type;
    const isDraft = (row: Row) => draftAndPublish && row['publishedAt'] === null;
    const isSource = (row: Row) => isDraft(row) === (draftAndPublish && action !== 'discardDraft');
    const from = action === 'unpublish' ? [] : rows.filter(isSource);
    const goes = (row: Row) =>
      action === 'discardDraft' ? isDraft(row) && from.some(({ locale }) => locale === row['locale']) : !isDraft(row);
    const deleted = action === 'clone' ? [] : rows.filter(goes);
    const chosen = [
      ...(from.length === 0 ? [] : await this.#chosen(from, {})),
      ...(deleted.length === 0 ? [] : await this.#chosen(deleted, isFiltered ? params : {})),
    ];
    if (from.length + deleted.length > 0 && chosen.length === 0)
      return this.#own ? this.#unseen() : { documentId: params['documentId'], entries: [] };
    if (chosen.length < from.length + deleted.length) return this.#keepsSome();
    const removed = [];
    for (const row of deleted) {
      const notified = await this.#removing(row, wholes.get(row.id));
      if (!notified) return this.#keepsSome();
      removed.push({ row, notified });
    }
    const begun = [];
    const passwords = new HashedPasswords(this.#context.runtime.catalog);
    const hidden = action === 'clone' ? await passwords.hidden(this.#type, params['data'] ?? {}) : {};
    const target = action === 'publish' || !draftAndPublish ? 'published' : 'draft';
    for (const { id, documentId, ...data } of from) {
      const original = {
        documentId,
        locale: data['locale'],
        status: data['publishedAt'] === null ? 'draft' : 'published',
      } as const;
      // the copy has no document id yet
      const own = action === 'clone' ? hidden : { documentId };
      const creation = {
        ...data,
        ...(await this.#values.hashes(id)),
        ...own,
        ...(await this.#links.of(original, own, target)),
        publishedAt: stamp(draftAndPublish && action !== 'publish'),
      };
      const whole = this.#context.components.merged(this.#type, wholes.get(id), own);
      begun.push({ locale: data['locale'], notified: await this.#copying(creation, whole, params) });
    }
    const result = await move();
    for (const { row, notified } of removed) await this.#afterRemoval(notified, row);
    const created = begun.length > 0 ? await this.#rows.rows({ ...params, documentId: result.documentId }) : [];
    const entries = [...result.entries];
    for (const { locale, notified } of begun) {
      const row = created.find((one) => one['locale'] === locale && isDraft(one) === (target === 'draft'));
      const index = entries.findIndex(({ id }) => id === row?.id);
      if (row === undefined || index < 0) continue;
      const at = { documentId: row.documentId, locale };
      const changed = await this.#settled(notified, entries[index]!, at, params, target);
      entries[index] = isRead ? ((await this.#read(changed, params)) as Row) : changed;
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
      const changed = await this.#settled(notified, row!, version, {}, version.status);
      await this.#after('Update', notified, changed, version, version.status);
    }
  }

  /**
   * Stores the changes of listeners in a row that has been written.
   *
   * @param row the row as the operation returned it.
   * @param at names its document, and its locale.
   * @returns the stored row, in the shape that the operation returns.
   */
  async #settled(
    { shown, data, entries }: Notified,
    row: Row,
    at: Params,
    { fields, populate }: Params,
    status: 'draft' | 'published' = 'published',
  ): Promise<Row> {
    const { catalog, writer, narrowing } = this.#context.runtime;
    const ofEntries = entries === NO_ENTRIES ? {} : entries.changes((await this.#rows.whole(at, status))!);
    const ownChanges = written(changesOf(shown, data));
    const placed = await this.#links.placed(ownChanges, shown, (shape) => this.#rows.row(at, status, shape));
    const changed = { ...ofEntries, ...placed };
    const changes = knownData(catalog, this.#type, changed) as Params;
    if (Object.keys(changes).length === 0) return row;
    const request = { type: this.#type, viewer: narrowing.viewer, mayShare: true };
    await writer.updateRow({ ...request, data: plainData(changes) as WriteRequest['data'] }, row.documentId, row.id);
    return (await this.#rows.row(at, status, { fields, populate })) ?? row;
  }

  /** The parameters of a write, with the part of its data that the schema knows. */
  #known({ data, ...rest }: Params): Params {
    const params = this.#rows.requested(rest);
    return data === undefined
      ? params
      : { ...params, data: knownData(this.#context.runtime.catalog, this.#type, data) };
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
  #reshaped(params: Params, { params: changed }: Notified): Params {
    return this.#own ? params : reshaped(params, shapeOf(params), changed);
  }

  /** Those of a document's rows that an operation lists before it writes them. */
  async #chosen(rows: readonly Row[], { filters, ...params }: Params): Promise<readonly Row[]> {
    const matching = isNone(filters) ? rows : await this.#rows.meeting(rows, filters);
    const documentId = rows[0]?.documentId;
    return this.#found('FindMany', { ...(filters as object | undefined), documentId }, matching, shapeOf(params));
  }

  /**
   * Notifies listeners before a row is removed.
   *
   * @param whole the row with all entries.
   * @returns undefined where they have the row stay.
   */
  async #removing(row: Row, whole: Row | null | undefined, params: Params = {}): Promise<Notified | undefined> {
    const [where, shape] = [{ id: row.id }, shapeOf(params)];
    const notified = await this.#before('Delete', { where, ...copied(shape) });
    const { where: conditions } = notified.params;
    const met = await this.#meeting([row], conditions, where);
    if ((await this.#found('FindOne', conditions as Params, met, shape)).length === 0) return undefined;
    return { ...notified, entries: await this.#context.components.removing(this.#type, whole) };
  }

  /** Has listeners to reading look at a draft that an operation publishes: the reference lists it for that. */
  async #requireListed(at: Params): Promise<void> {
    if (!this.#context.lifecycles.listens(this.#type.uid, 'FindMany')) return;
    const draft = at['documentId'] === undefined ? null : await this.#rows.row(at, 'draft');
    if (!draft || (await this.#chosen([draft], {})).length === 0) this.#keepsSome();
  }

  /** The result of a write whose document the listeners exclude. */
  #unseen(): null {
    if (this.#own) throw notFound();
    return null;
  }

  /** @throws Unsupported where listeners let an operation write some rows of a document alone. */
  #keepsSome(): never {
    return unsupported(`a lifecycle that excludes some versions of a document of ${this.#type.uid}`);
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

/** Whether there are no conditions. */
const isNone = (conditions: unknown): boolean =>
  conditions === undefined || conditions === null || (isPlain(conditions) && Object.keys(conditions).length === 0);

/** The conditions `where` and `filters` after listeners have changed them. */
const both = (where: unknown, filters: unknown): unknown =>
  isNone(filters) ? where : { $and: [...(isNone(where) ? [] : [where]), filters] };
