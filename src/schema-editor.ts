/**
 * Edits the schema files of the project that is served: plans changes, writes files, moves content whose names change,
 * and serves the result. If a step fails, everything is as before.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from './config/config.ts';
import { compiledSources } from './config/modules/tsconfig.ts';
import { completeRows } from './content/doctor/complete-rows.ts';
import {
  type EndingType,
  endDrafts,
  hasDrafts,
  hasEndingDrafts,
  withdrawEndingDrafts,
} from './content/doctor/end-drafts.ts';
import type { Writer } from './content/documents/writer.ts';
import {
  countContent,
  dropSearchIndexes,
  isStepDone,
  makeMoves,
  noteStep,
  type Undoable,
} from './db/migration/schema-moves.ts';
import { storeRecord } from './db/migration/schema-record.ts';
import type { Engine } from './engine.ts';
import { ContentError, forbidden, notFound, reasonOf, refusal, UsageError, validation } from './errors.ts';
import { LruCache } from './lru-cache.ts';
import { logFailure } from './media/failures.ts';
import { processName, processState } from './media/safety/process-name.ts';
import { openDatabase } from './open-database.ts';
import { checkedBy, type ProjectFiles, ProjectMistakes } from './project.ts';
import { isGenerated } from './runtime/generated.ts';
import { collectionNameOf, uidOf } from './schema/build.ts';
import { ADMIN_USER_UID, type Catalog, USER_UID } from './schema/catalog.ts';
import type { Problem } from './schema/check/problem.ts';
import type {
  EditEffect,
  EditedKind,
  EditedType,
  EditingState,
  EditProblem,
  FileChange,
  SchemaChanges,
  SchemaEditing,
  SchemaPlan,
} from './schema/editing/editing.ts';
import { type Move, movesOf, takenNames } from './schema/editing/moves.ts';
import type { FormerNames, SchemaVersion } from './schema/editing/places.ts';
import { type FilesPlan, planFiles, type SchemaFile } from './schema/editing/plan-files.ts';
import { recordOf } from './schema/editing/record.ts';
import { codeStyleOf } from './schema/editing/type-code.ts';
import { endStep, recordStep, STEP_FILE, settleFiles, unfinishedStep } from './schema/editing/unfinished-step.ts';
import { canWriteSchemas, currentText, FilesChanged, UnsafePath, writeFiles } from './schema/editing/write-files.ts';
import type { SchemaSource } from './schema/files.ts';
import {
  type ContentMoves,
  effectsOf,
  leftoverNames,
  moveContent,
  renameIn,
  switchedIn,
  versionOf,
} from './schema-effects.ts';

/**
 * Reads the files again and serves them; `confirm` is called before the database is changed, and `complete` when nothing
 * else can fail any more. What `complete` returns is called after the last request of the previous project.
 */
export type ReloadFiles = (
  confirm: (files: ProjectFiles) => Promise<void>,
  complete: (project: EditedProject['project']) => Promise<(() => Promise<void>) | undefined>,
) => Promise<unknown>;

/** Gives work that changes files the reload, and keeps others from reloading meanwhile. */
export type ChangeFiles = <T>(work: (reload: ReloadFiles) => Promise<T>) => Promise<T>;

/** The project in place. */
export interface EditedProject {
  readonly project: ProjectFiles & { readonly writer: Writer };
  readonly changeFiles: ChangeFiles;
}

interface Planned extends SchemaPlan {
  readonly before: SchemaVersion;
  readonly names: FormerNames;
  readonly moves: readonly Move[];
  readonly uids: readonly string[];
  /** Types that get drafts or locales. */
  readonly completed: ReadonlySet<string>;
  /** Types that lose their drafts. */
  readonly ended: readonly EndingType[];
}

interface LastChange {
  readonly at: number;
  readonly uids: readonly string[];
  readonly files: readonly FileChange[];
  /** The moves that undo those of the change. */
  readonly moves: readonly Undoable[];
  /** Former names as seen from the state of before the change. */
  readonly names: FormerNames;
  /** The numbers of documents whose content attributes found again, by `uid#attribute`. */
  readonly restored: ReadonlyMap<string, number>;
}

/** Files to be written, with what moves in the database. */
interface Step extends ContentMoves {
  readonly files: readonly FileChange[];
}

/** Revisions whose texts are kept, for merging, and their characters together. */
const REVISIONS = 1000;
const CHARACTERS = 10_000_000;
/** Rows of a table up to which its documents are counted for the list of types. */
const COUNTED = 200_000;
/** Files of an API that are looked at. */
const MOST_FILES = 1000;

/** The folders with own code, its files (routes may be JSON), and how many are searched. */
const CODE_FOLDERS = ['src', 'config'];
const CODE = /\.(?:[cm]?[jt]sx?|json)$/;
const MOST_CODE = 10_000;

const DEVELOPMENT_ONLY = 'schema files are changed under galley dev only';
const UNFINISHED =
  'a change of schema files has not ended, and its files were changed since: compare them with this record, and remove it';

const NO_NAMES: FormerNames = { types: new Map(), attributes: new Map() };

export class SchemaEditor implements SchemaEditing {
  readonly isEnabled: boolean;
  readonly #engine: Engine;
  readonly #texts = new LruCache<string, string>(REVISIONS, {
    of: (_, text) => text.length,
    most: CHARACTERS,
    each: CHARACTERS,
  });
  #edited: (() => EditedProject) | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #last: LastChange | undefined;
  /** Whether this process changes files at the moment. */
  #isChanging = false;

  constructor(engine: Engine, isEnabled: boolean) {
    this.#engine = engine;
    this.isEnabled = isEnabled;
  }

  /** @param edited returns the project in place. */
  connect(edited: () => EditedProject): void {
    this.#edited = edited;
  }

  get #project(): EditedProject['project'] {
    return this.#edited!().project;
  }

  get #config(): Config {
    return this.#project.config;
  }

  async state(): Promise<EditingState> {
    const { layout } = this.#project;
    const { database, schema } = this.#engine;
    const existing = await schema.introspect(database);
    const check = this.#check();
    const types: EditedType[] = [];
    for (const source of check.sources) {
      const type = this.#typeOf(source);
      if (!type) continue;
      const table = layout.models.get(type.uid)?.table;
      const counted = { what: 'documents', uid: type.uid } as const;
      const isCounted = table !== undefined && type.kind !== 'component' && (database.rowsOf(table) ?? 0) <= COUNTED;
      const count = isCounted ? await countContent(database, counted, existing, table) : null;
      types.push({ ...type, count });
    }
    const fileOf = new Map(types.map(({ file, uid }) => [file, uid]));
    return {
      reason: this.#reason,
      undo: this.#undoable ? { at: this.#undoable.at, uids: this.#undoable.uids } : null,
      types,
      problems: [...this.#unfinished(), ...check.problems.map((problem) => described(problem, 'mistake', fileOf))],
    };
  }

  /** The change that a process left half done, if its files were changed since. */
  #unfinished(): EditProblem[] {
    const step = this.#isChanging ? undefined : unfinishedStep(this.#config.dir);
    if (!step) return [];
    return [{ uid: null, file: STEP_FILE, path: [], message: UNFINISHED, severity: 'mistake' }];
  }

  get #reason(): EditingState['reason'] {
    if (!this.isEnabled) return 'production';
    return this.#isInSource && canWriteSchemas(this.#config.dir) ? null : 'files';
  }

  /** Whether the schemas are those of `src`, and not of a compiled project without it. */
  get #isInSource(): boolean {
    const { dir } = this.#config;
    return compiledSources(dir) === undefined || existsSync(path.join(dir, 'src'));
  }

  async plan(changes: SchemaChanges): Promise<SchemaPlan> {
    if (this.#reason === 'production') throw forbidden(DEVELOPMENT_ONLY);
    const { isApplicable, files, effects, problems, conflicts, merged } = await this.#plan(changes);
    return { isApplicable: isApplicable && this.#reason === null, files, effects, problems, conflicts, merged };
  }

  apply(changes: SchemaChanges): Promise<EditingState> {
    return this.#inTurn(async () => {
      this.#requireEditable();
      await this.#apply(await this.#plan(changes), changes);
      return this.state();
    });
  }

  undo(): Promise<EditingState> {
    return this.#inTurn(async () => {
      this.#requireEditable();
      const last = this.#last;
      if (!last) throw notFound();
      const changed = this.#changedSince(last);
      if (changed.length > 0) throw conflict(this.#uidsOf(changed));
      await this.#undo(last);
      return this.state();
    });
  }

  /** Changes run one after the other. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #requireEditable(): void {
    if (this.#reason === 'production') throw forbidden(DEVELOPMENT_ONLY);
    if (this.#unfinished().length > 0) throw refusal(`${STEP_FILE}: ${UNFINISHED}`);
    if (this.#reason === 'files') throw refusal('The schema files of the project cannot be written');
  }

  get #undoable(): LastChange | undefined {
    return this.#last && this.#changedSince(this.#last).length === 0 ? this.#last : undefined;
  }

  #changedSince({ files }: LastChange): string[] {
    return files.filter(({ file, after }) => this.#read(file) !== after).map(({ file }) => file);
  }

  #uidsOf(files: readonly string[]): string[] {
    const uids = new Map(this.#check().sources.map((source) => [source.file, uidOf(source)]));
    return files.map((file) => uids.get(file) ?? file);
  }

  #check(texts?: ReadonlyMap<string, string | null>) {
    return checkedBy(this.#config)({ ...this.#project.schemas, texts });
  }

  /** A type as it is shown; undefined for built-in types of which no schema speaks. */
  #typeOf(source: SchemaSource): Omit<EditedType, 'count'> | undefined {
    const uid = uidOf(source);
    if (source.role === 'builtIn' && uid !== USER_UID && uid !== ADMIN_USER_UID) return undefined;
    const { raw, role } = source;
    const isOwn = role === 'contentType' || role === 'component';
    const text = isOwn ? this.#read(source.file) : null;
    const info = raw['info'] as { displayName?: unknown } | undefined;
    const kind: EditedKind =
      role === 'component' ? 'component' : raw['kind'] === 'singleType' ? 'singleType' : 'collectionType';
    const isInFile = isOwn || (role === 'builtIn' && source.extended);
    return {
      uid,
      kind,
      category: role === 'component' ? source.category : null,
      displayName: typeof info?.displayName === 'string' ? info.displayName : uid.slice(uid.lastIndexOf('.') + 1),
      origin: isOwn && text !== null ? 'project' : role === 'builtIn' ? 'plugin' : 'code',
      file: isInFile || role === 'plugin' ? source.file : null,
      revision: text === null ? null : this.#remember(text),
      schema: raw,
    };
  }

  /** The text of a schema file; null if there is none, or it may not be written. */
  #read(file: string): string | null {
    try {
      return currentText(this.#config.dir, file);
    } catch (error) {
      if (error instanceof UnsafePath) return null;
      throw error;
    }
  }

  /** The revision of a text, which is kept for merging. */
  #remember(text: string): string {
    const revision = createHash('sha256').update(text).digest('hex').slice(0, 32);
    if (this.#texts.get(revision) === undefined) this.#texts.set(revision, text);
    return revision;
  }

  #projectSources(sources: readonly SchemaSource[]) {
    const { dir } = this.#config;
    const files = new Map<string, SchemaFile>();
    const others = new Set<string>();
    for (const source of sources) {
      const uid = uidOf(source);
      const text = source.role === 'contentType' || source.role === 'component' ? this.#read(source.file) : null;
      if (text === null || (source.role !== 'contentType' && source.role !== 'component')) others.add(uid);
      else {
        const folder = source.role === 'component' ? source.category : source.file.split('/')[2]!;
        files.set(uid, {
          ...{ uid, text, folder, file: source.file, revision: this.#remember(text) },
          isComponent: source.role === 'component',
          raw: JSON.parse(text.replace(/^\uFEFF/, '')),
          collectionName: collectionNameOf(source),
        });
      }
    }
    return {
      files,
      others,
      textOf: (revision: string) => this.#texts.get(revision),
      read: (file: string) => this.#read(file),
      list: (folder: string) => listFiles(dir, folder),
      findCode: (test: (text: string, file: string) => boolean) => {
        const schemas = new Set(Array.from(files.values(), ({ file }) => file));
        const code = CODE_FOLDERS.flatMap((folder) => listFiles(dir, folder, (name) => CODE.test(name), MOST_CODE + 1));
        if (code.length > MOST_CODE) return undefined;
        return code.filter((file) => !schemas.has(file) && test(readFileSync(path.join(dir, file), 'utf8'), file));
      },
      isGenerated,
      code: codeStyleOf(dir),
    };
  }

  async #plan({ changes, keep }: SchemaChanges): Promise<Planned> {
    const now = this.#check();
    const { sources } = now;
    let plan: FilesPlan;
    try {
      plan = withFiles(() => planFiles(this.#projectSources(sources), changes));
    } catch (error) {
      throw asRefusal(error);
    }
    const { files, names, conflicts, merged, uids } = plan;
    const texts = new Map(files.map(({ file, after }) => [file, after]));
    const then = this.#check(texts);
    const fileOf = new Map(sources.map((source): [string, string] => [source.file, uidOf(source)]));
    for (const source of then.sources) if (texts.has(source.file)) fileOf.set(source.file, uidOf(source));
    const known = new Set(now.warnings.map(({ file, path, message }) => `${file}\0${path}\0${message}`));
    const slips = then.warnings.filter(({ file, path, message }) => !known.has(`${file}\0${path}\0${message}`));
    const problems = [
      ...plan.problems,
      ...then.problems.map((problem) => described(problem, 'mistake', fileOf)),
      ...slips.map((problem) => described(problem, problem.isSlip ? 'mistake' : 'warning', fileOf)),
    ];
    const before = versionOf(now.partial);
    const after = versionOf(then.partial);
    const hasNoMistakes = () => problems.every(({ severity }) => severity === 'warning') && conflicts.length === 0;
    const { database, schema } = this.#engine;
    const existing = await schema.introspect(database);
    const renamed = hasNoMistakes() ? movesOf(before, after, names, existing) : [];
    for (const [uid, table] of takenNames(after, renamed, existing.keys())) {
      const file = [...fileOf].find(([, one]) => one === uid)![0];
      const message = `${table} is the name of another table of the database`;
      problems.push({ uid, file, path: ['collectionName'], message, severity: 'mistake' });
    }
    const isRight = hasNoMistakes();
    const { effects, restored } = await effectsOf(this.#engine, before, after, names, { existing, renamed, isRight });
    const losses = effects.filter((effect) => !isCovered(effect, keep));
    const moves = isRight ? [...renamed, ...restored] : [];
    return {
      isApplicable: isRight && losses.length === 0,
      ...{ files, problems, conflicts, merged, effects, before, names, moves, uids, ...switchedIn(effects, names) },
    };
  }

  async #apply(plan: Planned, { keep }: SchemaChanges): Promise<void> {
    const { files, problems, conflicts, effects, before, names, moves, uids, completed, ended } = plan;
    if (conflicts.length > 0) throw conflict(conflicts);
    const mistakes = problems.filter(({ severity }) => severity === 'mistake');
    if (mistakes.length > 0) throw validation('The schemas have mistakes', { problems: mistakes });
    const losses = effects.filter((effect) => !isCovered(effect, keep));
    if (losses.length > 0) throw validation('Content would be lost', { effects: losses });
    if (files.length === 0) return;
    const undo = await this.#serve({ files, moves, names, before, ended });
    const restored = effects.filter(({ kind }) => kind === 'attributeRestored');
    this.#last = {
      ...{ at: Date.now(), uids, files, moves: undo, names: reversed(names) },
      restored: new Map(restored.map((effect) => [nameOf(effect), effect.count ?? 0])),
    };
    await this.#record(uids, before);
    await this.#complete(completed);
  }

  async #undo({ uids, files, moves, names, restored }: LastChange): Promise<void> {
    const inverse = files.map(({ file, before, after }) => ({ file, before: after, after: before }));
    const now = versionOf(this.#check().partial);
    const then = versionOf(this.#check(new Map(inverse.map(({ file, after }) => [file, after]))).partial);
    const { database, schema } = this.#engine;
    const existing = await schema.introspect(database);
    const renamed = movesOf(now, then, names, existing);
    const { effects } = await effectsOf(this.#engine, now, then, names, { existing, renamed, isRight: false });
    // content that was unreachable before may be unreachable again
    const isAdded = (effect: EditEffect) => (effect.count ?? 0) > (restored.get(nameOf(effect)) ?? 0);
    const losses = effects.filter(
      (effect) =>
        effect.severity === 'loss' && (effect.keep !== 'archive' || /Removed$/.test(effect.kind)) && isAdded(effect),
    );
    if (losses.length > 0) throw validation('Content would be lost', { effects: losses });
    const { completed, ended } = switchedIn(effects, names);
    await this.#serve({ files: inverse, moves, names, before: now, ended });
    this.#last = undefined;
    await this.#record(uids, now);
    await this.#complete(completed);
  }

  /** Records the changed types and components in the log of actions. */
  async #record(uids: readonly string[], before: SchemaVersion): Promise<void> {
    const now = this.#project.catalog;
    const has = ({ contentTypes, components }: Catalog, uid: string) => contentTypes.has(uid) || components.has(uid);
    await this.#engine.database.transaction(async (tx) => {
      for (const uid of uids) {
        const noun = before.catalog.components.has(uid) || now.components.has(uid) ? 'component' : 'content-type';
        const verb = !has(before.catalog, uid) ? 'create' : has(now, uid) ? 'update' : 'delete';
        tx.recordAction({ action: `${noun}.${verb}`, type: uid, id: null });
      }
    });
  }

  /** Writes files and serves them, with content moved before new tables and columns are added. */
  async #serve(step: Step): Promise<Undoable[]> {
    const { files, moves } = step;
    const { dir } = this.#config;
    const { database, schema } = this.#engine;
    await dropSearchIndexes(database, schema, moves);
    const remaining = await leftoverNames(database, schema, this.#project);
    let moved: { readonly undo: Undoable[]; readonly project: ProjectFiles } | undefined;
    let isComplete = false;
    this.#isChanging = true;
    try {
      await this.#edited!().changeFiles(async (reload) => {
        const { id } = withFiles(() => recordStep(dir, processName(), files));
        try {
          withFiles(() => writeFiles(dir, files));
        } catch (error) {
          const areAsBefore = files.every(({ file, before }) => this.#read(file) === before);
          if (areAsBefore || error instanceof FilesChanged) endStep(dir);
          throw error;
        }
        try {
          await reload(
            async (project) => {
              const undo = await database.transaction(async (tx) => {
                await schema.lock(tx, true);
                await noteStep(tx, id);
                return (await moveContent(tx, schema, step, project, remaining)).undo;
              });
              moved = { undo, project };
            },
            async (project) => {
              const isEnding = step.ended.length > 0;
              if (isEnding) await endDraftsIn(this.#engine, project, false);
              isComplete = true;
              // requests of the previous project may have saved drafts meanwhile
              return isEnding ? () => endDraftsIn(this.#engine, this.#project, true) : undefined;
            },
          );
        } catch (error) {
          if (!isComplete) {
            await this.#restore(step, moved);
            throw error;
          }
          logFailure('a change of schema files is served, and what follows it failed', error);
        }
        endStep(dir);
      });
    } catch (error) {
      if (error instanceof FilesChanged) throw conflict(this.#uidsOf(error.files));
      throw asRefusal(error);
    } finally {
      this.#isChanging = false;
    }
    // permissions may have other names
    this.#engine.callers.forget();
    return moved?.undo ?? [];
  }

  /** Reverts the changes before a failure, except in files that others have changed. */
  async #restore(
    { files, names, ended }: Step,
    moved: { readonly undo: readonly Undoable[]; readonly project: ProjectFiles } | undefined,
  ): Promise<void> {
    const { database, schema } = this.#engine;
    const { dir } = this.#config;
    try {
      const inverse = files.map(({ file, before, after }) => ({ file, before: after, after: before }));
      const changed = inverse.filter(({ file, before }) => this.#read(file) !== before);
      if (changed.length > 0) throw new FilesChanged(changed.map(({ file }) => file));
      if (moved) {
        const { undo, project } = moved;
        await database.transaction(async (tx) => {
          await schema.lock(tx, true);
          await noteStep(tx, null);
          await withdrawEndingDrafts(tx, (uid) => ended.some((type) => type.uid === uid));
          await makeMoves(tx, schema, undo);
          await renameIn(tx, project.catalog, reversed(names));
          await storeRecord(tx, recordOf(this.#project.catalog));
        });
      }
      writeFiles(dir, inverse);
      endStep(dir);
    } catch (error) {
      logFailure('schema files are not restored after a change that failed', error);
    }
  }

  async #complete(uids: ReadonlySet<string>): Promise<void> {
    if (uids.size === 0) return;
    const { writer, catalog, layout } = this.#project;
    try {
      await this.#engine.database.transaction((tx) => completeRows(tx, writer.context(tx), { catalog, layout }, uids));
    } catch (error) {
      // the new schema is served, and "galley doctor --fix" does the same
      logFailure('documents did not get drafts or locales after a change of their schema', error);
    }
  }
}

/**
 * Finishes or reverts the change of schema files that a process left half done when it ended.
 *
 * @returns warnings for a start.
 */
export async function settleSchemaFiles(config: Config): Promise<string[]> {
  const { dir } = config;
  const step = unfinishedStep(dir);
  if (!step || processState(step.process) === 'alive') return [];
  const { database, schema } = await openDatabase(config);
  try {
    const isDone = await isStepDone(database, schema, step.id);
    if (step.id === '' || settleFiles(dir, step, isDone).length > 0) return [`${STEP_FILE}: ${UNFINISHED}`];
    endStep(dir);
    const outcome = isDone ? 'finished' : 'rolled back';
    return [
      `an interrupted change of schema files has been ${outcome}: ${step.files.map(({ file }) => file).join(', ')}`,
    ];
  } catch (error) {
    return [`${STEP_FILE}: an interrupted change of schema files stays as it is: ${reasonOf(error)}`];
  } finally {
    await database.close();
  }
}

/**
 * Ends the drafts of types for which a process that ended had no time any more. Those of a change that has not ended are
 * left to it.
 *
 * @returns warnings for a start.
 */
export async function settleDrafts(engine: Engine, project: EditedProject['project']): Promise<string[]> {
  try {
    // in this order: the record of a change is there as long as the database notes what it has to do
    if (!(await hasEndingDrafts(engine.database)) || unfinishedStep(project.config.dir)) return [];
    await endDraftsIn(engine, project, true);
    return [];
  } catch (error) {
    return [`drafts of types without drafts are not removed, and the next start tries again: ${reasonOf(error)}`];
  }
}

/** @param isLast whether nothing of the previous schema is served any more: the database then forgets the types. */
const endDraftsIn = (
  { database, schema }: Engine,
  { writer, catalog }: EditedProject['project'],
  isLast: boolean,
): Promise<void> =>
  database.transaction(async (tx) => {
    await schema.lock(tx, true);
    await endDrafts(tx, writer.context(tx), await schema.introspect(tx));
    if (isLast) await withdrawEndingDrafts(tx, (uid) => !hasDrafts(catalog, uid));
  });

/** Names as seen from the other side of a change. */
function reversed({ types, attributes }: FormerNames): FormerNames {
  if (types.size === 0 && attributes.size === 0) return NO_NAMES;
  const swap = (names: ReadonlyMap<string, string>) => new Map(Array.from(names, ([one, other]) => [other, one]));
  return {
    types: swap(types),
    attributes: new Map(Array.from(attributes, ([uid, names]) => [types.get(uid) ?? uid, swap(names)])),
  };
}

const nameOf = ({ uid, attribute }: EditEffect): string => (attribute === null ? uid : `${uid}#${attribute}`);

function isCovered(effect: EditEffect, keep: SchemaChanges['keep']): boolean {
  return effect.severity !== 'loss' || (effect.keep !== null && keep.get(nameOf(effect)) === effect.keep);
}

const conflict = (conflicts: readonly string[]): ContentError =>
  new ContentError('PreconditionFailedError', 'The schema files were changed by others', { conflicts });

function described(
  { file, path: at, message, nearest }: Problem,
  severity: EditProblem['severity'],
  uids: ReadonlyMap<string | null, string>,
): EditProblem {
  const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
  return { uid: uids.get(file) ?? null, file, path: at === '' ? [] : at.split('.'), message: message + hint, severity };
}

/** What a person can correct, instead of a failure of the server. */
function asRefusal(error: unknown): unknown {
  if (error instanceof ContentError) return error;
  if (error instanceof ProjectMistakes) {
    const problems = error.problems.map((problem) => described(problem, 'mistake', new Map()));
    return validation('The schemas have mistakes', { problems });
  }
  if (error instanceof UnsafePath || error instanceof UsageError) return refusal(error.message);
  return error;
}

/**
 * Does something with the schema files. A failure of the file system is something that a person can correct; its message
 * has paths of the server, so only its code is shown.
 */
function withFiles<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw refusal(`The schema files could not be read or written: ${code}`);
  }
}

/** The paths of the files below a folder, without symbolic links and installed packages. */
function listFiles(dir: string, folder: string, isWanted = (_: string) => true, most = MOST_FILES): string[] {
  if (!existsSync(path.join(dir, folder))) return [];
  const found: string[] = [];
  const folders = [folder];
  for (const one of folders) {
    for (const entry of readdirSync(path.join(dir, one), { withFileTypes: true })) {
      const inside = `${one}/${entry.name}`;
      if (entry.isDirectory() && entry.name !== 'node_modules') folders.push(inside);
      if (!entry.isFile() || !isWanted(entry.name)) continue;
      found.push(inside);
      if (found.length === most) return found;
    }
  }
  return found;
}
