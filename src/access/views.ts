/** The Views of a project: made when a set of grants is first met, and kept as long as the project. */
import { LruCache } from '../lru-cache.ts';
import { ADMIN_PERMISSION_UID, ADMIN_ROLE_UID } from '../schema/built-in.ts';
import { ADMIN_USER_UID, type Catalog } from '../schema/catalog.ts';
import type { AdministratorRights } from './administrator-rights.ts';
import { type AdministratorViews, administratorViews, type LibraryViews, libraryViews } from './administrator-views.ts';
import { CatalogFields } from './fields.ts';
import { FULL_ACCESS, type Grants } from './grants.ts';
import { type RowRules, rowConditions } from './row-conditions.ts';
import { type CallerValues, View, type Viewer } from './view.ts';

/** Conditions on rows for the holders of grants; equal for grants of one key. */
export type RowRulesOf = (grants: Grants) => RowRules;

/** Views kept: sets of rights told apart. */
const VIEWS = 1000;

const ADMINISTRATION: ReadonlySet<string> = new Set([ADMIN_USER_UID, ADMIN_ROLE_UID, ADMIN_PERMISSION_UID]);

export class Views {
  /** Code that embeds the server: it may do everything, and sees every row. Private attributes stay private. */
  readonly full: Viewer;
  /** The project's own code: the same, private attributes included. Passwords stay hidden. */
  readonly code: Viewer;
  readonly #fields: CatalogFields;
  /** Resolves rules. */
  readonly #everything: View;
  readonly #rulesOf: RowRulesOf;
  readonly #known = new LruCache<string, View>(VIEWS);
  readonly #administrators = new LruCache<string, AdministratorViews>(VIEWS);
  readonly #libraries = new LruCache<string, LibraryViews>(VIEWS);

  constructor(catalog: Catalog, rulesOf: RowRulesOf = () => ({})) {
    this.#fields = new CatalogFields(catalog);
    this.#rulesOf = rulesOf;
    this.#everything = new View({
      fields: this.#fields,
      grants: FULL_ACCESS,
      showsPrivate: true,
      administration: ADMINISTRATION,
    });
    this.full = { view: new View({ fields: this.#fields, grants: FULL_ACCESS }), values: {} };
    this.code = { view: new View({ fields: this.#fields, grants: FULL_ACCESS, showsPrivate: true }), values: {} };
  }

  /** The View of all callers with equal grants. One that is no longer kept is made anew, under another key. */
  of(grants: Grants): View {
    let view = this.#known.get(grants.key);
    if (!view) {
      view = this.#make(grants);
      this.#known.set(grants.key, view);
    }
    return view;
  }

  /**
   * The Views of administrators with equal rights.
   *
   * @param closed actions that code of the project stands before: the same for every administrator.
   */
  administrator(rights: AdministratorRights, closed: Grants['closed']): AdministratorViews {
    let views = this.#administrators.get(rights.key);
    if (!views) {
      views = administratorViews(this.#everything, this.#fields, rights, closed);
      this.#administrators.set(rights.key, views);
    }
    return views;
  }

  /** The Views of the library of files of administrators with equal rights. */
  library(rights: AdministratorRights, closed: Grants['closed']): LibraryViews {
    let views = this.#libraries.get(rights.key);
    if (!views) {
      views = libraryViews(this.#everything, this.#fields, rights, closed);
      this.#libraries.set(rights.key, views);
    }
    return views;
  }

  /** A caller with its grants and its own values. */
  viewer(grants: Grants, values: CallerValues): Viewer {
    return { view: this.of(grants), values };
  }

  #make(grants: Grants): View {
    const rows = rowConditions(this.#everything, this.#rulesOf(grants));
    return new View({ fields: this.#fields, grants, rows });
  }
}
