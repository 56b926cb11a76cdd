/** What the rooms give to the routes. */
import type { Config } from '../config/config.ts';
import type { LocaleStore } from '../content/locale-store.ts';
import type { Reader } from '../content/reader.ts';
import type { Transitions } from '../content/transitions.ts';
import type { Writer } from '../content/writer.ts';
import type { Database } from '../db/database.ts';
import type { Catalog } from '../schema/catalog.ts';
import type { Layout } from '../schema/layout.ts';
import type { Callers } from '../users/callers.ts';

/** What routes work with. */
export interface HttpContext {
  readonly config: Config;
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly database: Database;
  readonly callers: Callers;
  readonly reader: Reader;
  readonly writer: Writer;
  readonly transitions: Transitions;
  readonly locales: LocaleStore;
}
