/** The code of a project that is run, as far as it is known by reading it. */
import type { AttributeChange } from '../../schema/files.ts';
import type { OwnPlugin } from '../plugins/own-plugins.ts';
import type { SourceFile } from '../source-files.ts';

export interface RunnableCode {
  readonly files: readonly SourceFile[];
  /** Files that are not run, by path, with what they ask for that is not there. */
  readonly refused: ReadonlyMap<string, string>;
  /** Methods that are not run, by the files of controllers and services that they are in; `undefined` for what is safe to leave out. */
  readonly methods: ReadonlyMap<string, ReadonlyMap<string, string | undefined>>;
  /** Files that extend built-in plugins and are run, with the plugins' names. */
  readonly extensions: ReadonlyMap<string, string>;
  /** What the catalog has of them. */
  readonly changes: readonly AttributeChange[];
  /** The project's own plugins that are run. */
  readonly plugins: readonly OwnPlugin[];
  /** Whether the project may have a plugin in the reference: any other is undefined. */
  readonly mayHave: (name: string) => boolean;
  /** Middlewares of `config/middlewares` that are not run, by the names that they have there. */
  readonly skipped: ReadonlySet<string>;
  /** What stays closed, own actions of the project included. */
  readonly closed: { readonly actions: ReadonlyMap<string, string>; readonly others: string | undefined };
  /**
   * Why what stands before the rows of types is not run, by the core actions that it would have been run in: `find` stands
   * for all reads of rows, and `everything` for all actions. Code may not go round it either.
   */
  readonly unhooked: ReadonlyMap<string, string>;
  /** The core actions in which document middlewares may do anything but pass on; undefined where any may, in any. */
  readonly hooked: ReadonlySet<string> | undefined;
  /** Whether the code may hook into documents in a way that reading it does not show. */
  readonly mayHook: boolean;
  /** What the files of `config` give, by their names. */
  readonly settings: () => Promise<Readonly<Record<string, unknown>>>;
}
