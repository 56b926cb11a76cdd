/** `galley start --watch`: checks saved files and, if they are right, serves the new version without interrupting requests. */
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import type { App, Complete, Confirm, Reloaded } from '../../app.ts';
import { UsageError } from '../../errors.ts';
import { ProjectMistakes } from '../../project.ts';
import type { ChangeFiles } from '../../schema-editor.ts';
import { countOf, linesOf } from '../check.ts';
import type { Surroundings } from '../command.ts';
import { warningsOf } from '../serving.ts';
import { mayMatter, type ProjectTree, projectTree } from './project-files.ts';
import { changedPaths, EMPTY, Settling, type Versions } from './settling.ts';

/** The most files that a line names; it counts more of them. */
const NAMED = 3;

/** Joins names as a sentence does: `the host and the port`. */
const CONJUNCTION = new Intl.ListFormat('en');

/** Thrown if files change while they are read. */
class StillChanging extends UsageError {
  constructor() {
    super('files of the project are being changed: try again', 1);
  }
}

export class ProjectWatch {
  readonly #app: App;
  readonly #surroundings: Surroundings;
  readonly #settling: Settling;
  readonly #folders: Folders;
  #placed: Versions;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;
  /** The settings that needed a restart at the last report. */
  #restart = '';
  #warned: ReadonlySet<string>;

  /** @param before the versions of the project's files before the app read them. */
  constructor(app: App, before: Versions, surroundings: Surroundings) {
    this.#app = app;
    this.#surroundings = surroundings;
    this.#warned = new Set(app.warnings);
    const { dir } = app.config;
    // the app itself writes .env of a new project
    const secrets = [...this.#tree().files].filter(([file]) => file === '.env');
    this.#placed = this.#withImported(new Map([...before, ...secrets]), []);
    this.#settling = new Settling(this.#placed);
    this.#folders = new Folders((folder, name) => {
      if (name === null || mayMatter(name, folder === dir)) this.#noteChange();
    });
  }

  /** Paths of files outside of `src` and `config` that the code of the served project imports. */
  get #imported(): readonly string[] {
    const files = this.#app.code.running?.loadedFiles ?? [];
    return files.filter((path) => !/^(?:\.\.|src|config)\/|(?:^|\/)node_modules\//.test(path));
  }

  /** The served versions, with the imported files of now in place of those of before. */
  #withImported(files: Versions, before: readonly string[]): Versions {
    const [now, { files: versions }] = [this.#imported, this.#tree()];
    const remaining = [...files].filter(([file]) => !before.includes(file) || now.includes(file));
    const added = now.filter((file) => !files.has(file));
    return new Map([...remaining, ...added.map((file): [string, string] => [file, versions.get(file) ?? EMPTY])]);
  }

  #tree(): ProjectTree {
    return projectTree(this.#app.config.dir, this.#imported);
  }

  /** The versions of the files of a project, for the constructor. */
  static filesOf(dir: string): Versions {
    return projectTree(dir).files;
  }

  /** @throws UsageError if the system has no more watches. */
  open(): void {
    this.#look();
    this.#app.changeFilesBy(this.changeFiles);
    // files may have changed since they were listed
    this.#noteChange();
  }

  /** Stops watching, and waits for a reload in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#folders.close();
    await this.#looking;
  }

  #noteChange(): void {
    this.#settling.changed(Date.now());
    this.#schedule();
  }

  #schedule(): void {
    const { due } = this.#settling;
    if (this.#isClosed || this.#looking || due === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#looking = this.#settle()
          .catch((error: unknown) => this.#warn(error))
          .finally(() => {
            this.#looking = undefined;
            this.#schedule();
          });
      },
      Math.max(0, due - Date.now()),
    );
  }

  /** Lists the files after watching all folders, so that every later change is noticed. */
  #look(): ProjectTree {
    try {
      const tree = this.#tree();
      return this.#folders.set(tree.folders) ? this.#tree() : tree;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === 'ENOSPC' ? 'the system has no more watches (fs.inotify.max_user_watches)' : message;
      throw new UsageError(`cannot watch the folders of the project: ${reason}`, 1);
    }
  }

  /** The same; undefined, and the end of watching, if the system has no more watches. */
  #listed(): Versions | undefined {
    try {
      return this.#look().files;
    } catch (error) {
      this.#isClosed = true;
      this.#folders.close();
      this.#warn(error);
      return undefined;
    }
  }

  async #settle(): Promise<void> {
    const files = this.#listed();
    if (files === undefined) return;
    if (!this.#settling.look(Date.now(), files)) return;
    try {
      await this.#serve(files);
    } catch (error) {
      if (error instanceof StillChanging) this.#settling.changed(Date.now());
      else if (this.#settling.failed(Date.now(), files)) this.#refuse(error);
    }
  }

  /**
   * Lets work change files and serve them, and takes no notice of its changes.
   *
   * @param work gets the reload.
   */
  readonly changeFiles: ChangeFiles = async (work) => {
    while (this.#looking) await this.#looking;
    clearTimeout(this.#timer);
    const done = work(async (confirm, complete) => {
      const files = this.#listed();
      if (files === undefined) await this.#app.reload(confirm, complete);
      else await this.#serve(files, confirm, complete);
    });
    this.#looking = done
      .then(
        () => undefined,
        () => undefined,
      )
      .finally(() => {
        this.#looking = undefined;
        this.#schedule();
      });
    return done;
  };

  /** Serves the files of a listing. @throws StillChanging if they change meanwhile; whatever `App.reload` throws. */
  async #serve(files: Versions, confirm: Confirm = () => {}, complete?: Complete): Promise<void> {
    const started = performance.now();
    const imported = this.#imported;
    const reloaded = await this.#app.reload(async (project) => {
      if (changedPaths(files, this.#tree().files).length > 0) throw new StillChanging();
      await confirm(project);
    }, complete);
    const changes = changedPaths(this.#placed, files);
    this.#placed = this.#withImported(files, imported);
    this.#settling.placed(this.#placed);
    // watches newly imported files, and looks for changes that were made meanwhile
    if (this.#imported.some((file) => !files.has(file)) && this.#listed() !== undefined) this.#noteChange();
    await this.#report(reloaded, changes, Math.round(performance.now() - started));
  }

  async #report(
    { added, granted, restart }: Reloaded,
    changes: readonly string[],
    milliseconds: number,
  ): Promise<void> {
    const { print, warn } = this.#surroundings;
    const files = changes.length === 0 ? '' : `: ${listed(changes, 'files')}`;
    const tables = added.length === 0 ? '' : `; added ${listed(added, 'tables and columns')}`;
    print(`reloaded in ${milliseconds} ms${files}${tables}`);
    for (const sentence of granted) print(`  ${sentence}`);
    const warnings = await warningsOf(this.#app);
    for (const warning of warnings) if (!this.#warned.has(warning)) warn(`warning: ${warning}`);
    this.#warned = new Set(warnings);
    const parts = restart.join(', ');
    if (parts !== '' && parts !== this.#restart) {
      warn(`warning: changes to ${CONJUNCTION.format(restart)} take effect only after a restart`);
    }
    this.#restart = parts;
  }

  /** Prints the mistakes as `galley check` does. */
  #refuse(error: unknown): void {
    const { print, warn } = this.#surroundings;
    if (error instanceof ProjectMistakes) {
      for (const line of linesOf(error.problems)) print(line);
      print(countOf(error.problems));
    } else this.#warn(error);
    warn('the previous version of the project is still being served');
  }

  #warn(error: unknown): void {
    const { message } = error as Error;
    const lines = error instanceof UsageError ? message.split('\n') : [message.split('\n', 1)[0]];
    for (const line of lines) this.#surroundings.warn(`galley: ${line}`);
  }
}

function listed(names: readonly string[], kind: string): string {
  return names.length <= NAMED ? names.join(', ') : `${names.length} ${kind}`;
}

interface Watched {
  readonly watcher: FSWatcher;
  readonly inode: number;
}

export class Folders {
  readonly #changed: (folder: string, name: string | null) => void;
  readonly #watched = new Map<string, Watched>();

  /** @param changed called with a folder and the name of the changed entry, which is null if the system does not tell. */
  constructor(changed: (folder: string, name: string | null) => void) {
    this.#changed = changed;
  }

  /**
   * Watches these folders, by path and inode, and no others.
   *
   * @returns whether one of them was not watched before.
   * @throws NodeJS.ErrnoException ENOSPC or EMFILE if the system has no more watches.
   */
  set(folders: ReadonlyMap<string, number>): boolean {
    for (const [folder, { inode }] of this.#watched) if (folders.get(folder) !== inode) this.#unwatch(folder);
    const fresh = [...folders].filter(([folder]) => !this.#watched.has(folder));
    for (const [folder, inode] of fresh) this.#watch(folder, inode);
    return fresh.length > 0;
  }

  close(): void {
    for (const folder of [...this.#watched.keys()]) this.#unwatch(folder);
  }

  #watch(folder: string, inode: number): void {
    let watcher: FSWatcher;
    try {
      watcher = watch(folder, { persistent: false }, (event, name) => {
        // the folder itself was moved or removed; a new one may have the same path and inode
        if (event === 'rename' && name === path.basename(folder)) this.#unwatch(folder);
        this.#changed(folder, name);
      });
    } catch (error) {
      // removed since it was listed; its parent reports that
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    watcher.on('error', () => this.#unwatch(folder));
    this.#watched.set(folder, { watcher, inode });
  }

  #unwatch(folder: string): void {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
  }
}
