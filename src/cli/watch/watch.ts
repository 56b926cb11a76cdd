/** `galley start --watch`: what is saved is checked and, if it is right, put in place while requests go on. */
import type { App, Reloaded } from '../../app.ts';
import { UsageError } from '../../errors.ts';
import { ProjectMistakes } from '../../project.ts';
import { countOf, linesOf } from '../check.ts';
import type { Surroundings } from '../command.ts';
import { warningsOf } from '../serving.ts';
import { Folders } from './folders.ts';
import { mayMatter, type ProjectTree, projectTree } from './project-files.ts';
import { changedPaths, EMPTY, Settling, type Versions } from './settling.ts';

/** Files named one by one; more are counted. */
const NAMED = 3;

/** Joins names as a sentence does: `the host and the port`. */
const CONJUNCTION = new Intl.ListFormat('en');

/** The files have changed while they were read. */
class StillChanging extends Error {}

export class ProjectWatch {
  readonly #app: App;
  readonly #surroundings: Surroundings;
  readonly #settling: Settling;
  readonly #folders: Folders;
  #placed: Versions;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #isClosed = false;
  /** What was said the last time about what needs another start. */
  #restart = '';
  #warned: ReadonlySet<string>;

  /** @param before the files of the project before the app read them. */
  constructor(app: App, before: Versions, surroundings: Surroundings) {
    this.#app = app;
    this.#surroundings = surroundings;
    this.#warned = new Set(app.warnings);
    const { dir } = app.config;
    // the app itself writes the secrets of a new project
    const secrets = [...this.#tree().files].filter(([file]) => file === '.env');
    this.#placed = this.#withImported(new Map([...before, ...secrets]), []);
    this.#settling = new Settling(this.#placed);
    this.#folders = new Folders((folder, name) => {
      if (name === null || mayMatter(name, folder === dir)) this.#note();
    });
  }

  /** Paths of files elsewhere in the project that its code imports, as it is served. */
  get #imported(): readonly string[] {
    const files = this.#app.code.running?.loadedFiles ?? [];
    return files.filter((path) => !/^(?:\.\.|src|config)\/|(?:^|\/)node_modules\//.test(path));
  }

  /** What is in place: of files elsewhere those that the code imports now, and not those that it imported before. */
  #withImported(files: Versions, before: readonly string[]): Versions {
    const [now, { files: versions }] = [this.#imported, this.#tree()];
    const left = [...files].filter(([file]) => !before.includes(file) || now.includes(file));
    const added = now.filter((file) => !files.has(file));
    return new Map([...left, ...added.map((file): [string, string] => [file, versions.get(file) ?? EMPTY])]);
  }

  #tree(): ProjectTree {
    return projectTree(this.#app.config.dir, this.#imported);
  }

  /** The files of a project, for the constructor. */
  static filesOf(dir: string): Versions {
    return projectTree(dir).files;
  }

  /** @throws UsageError when the system watches no more folders. */
  open(): void {
    this.#look();
    // what was saved since the files were listed
    this.#note();
  }

  /** Waits for what is being put in place. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#folders.close();
    await this.#looking;
  }

  #note(): void {
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

  /** Lists the files, after watching whatever folders there are: what is saved later is told. */
  #look(): ProjectTree {
    try {
      const tree = this.#tree();
      return this.#folders.set(tree.folders) ? this.#tree() : tree;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === 'ENOSPC' ? 'the system watches no more (fs.inotify.max_user_watches)' : message;
      throw new UsageError(`the folders of the project cannot be watched: ${reason}`, 1);
    }
  }

  /** The same; undefined where the system watches no more, which ends the watching. */
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
    const started = performance.now();
    const imported = this.#imported;
    let reloaded: Reloaded;
    try {
      reloaded = await this.#app.reload(() => {
        if (changedPaths(files, this.#tree().files).length > 0) throw new StillChanging();
      });
    } catch (error) {
      if (error instanceof StillChanging) this.#settling.changed(Date.now());
      else if (this.#settling.failed(Date.now(), files)) this.#refuse(error);
      return;
    }
    const changes = changedPaths(this.#placed, files);
    this.#placed = this.#withImported(files, imported);
    this.#settling.placed(this.#placed);
    // those are watched from now on; what was saved meanwhile is looked for
    if (this.#imported.some((file) => !files.has(file)) && this.#listed() !== undefined) this.#note();
    await this.#report(reloaded, changes, Math.round(performance.now() - started));
  }

  async #report(
    { added, granted, restart }: Reloaded,
    changes: readonly string[],
    milliseconds: number,
  ): Promise<void> {
    const { print, warn } = this.#surroundings;
    const named = changes.length === 0 ? '' : `: ${listed(changes, 'files')}`;
    const made = added.length === 0 ? '' : `; added ${listed(added, 'tables and columns')}`;
    print(`in place after ${milliseconds} ms${named}${made}`);
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

  /** Says what `galley check` says. */
  #refuse(error: unknown): void {
    const { print, warn } = this.#surroundings;
    if (error instanceof ProjectMistakes) {
      for (const line of linesOf(error.problems)) print(line);
      print(countOf(error.problems));
    } else this.#warn(error);
    warn('nothing was changed: the previous version of the project is still being served');
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
