/** The Views of a project: made when a set of grants is first met, and kept as long as the project. */
import { LruCache } from '../lru-cache.ts';
import { ADMIN_PERMISSION_UID, ADMIN_ROLE_UID } from '../schema/built-in.ts';
import { ADMIN_USER_UID, type Catalog } from '../schema/catalog.ts';
import type { AdministratorRights } from './administrators/administrator-rights.ts';
import {
  type AdministratorViews,
  administratorViews,
  type LibraryViews,
  libraryViews,
} from './administrators/administrator-views.ts';
import { CatalogFields } from './fields.ts';
import { FULL_ACCESS, type Grants, grantsOf } from './grants.ts';
import { type RowRules, rowConditions } from './row-conditions.ts';
import type { Access } from './rules/access-rules.ts';
import { type CallerValues, View, type Viewer } from './view.ts';

/** Conditions on rows for the holders of grants; equal for grants of one key. */
export type RowRulesOf = (grants: Grants) => RowRules;

/** Views kept: sets of rights told apart. */
const VIEWS = 1000;

/** The rights of a request of which nobody asks who makes it. */
const NOBODY = grantsOf([], 'public');

const ADMINISTRATION: ReadonlySet<string> = new Set([ADMIN_USER_UID, ADMIN_ROLE_UID, ADMIN_PERMISSION_UID]);

export class Views {
  /** Code that embeds the server: it may do everything, and sees every row. Private attributes stay private. */
  readonly full: Viewer;
  /** The project's own code: the same, private attributes included. Passwords stay hidden. */
  readonly code: Viewer;
  /** The same, with what administrators are and may do: for code that asks for these by their types. */
  readonly administration: Viewer;
  readonly #fields: CatalogFields;
  /** Resolves rules. */
  readonly #everything: View;
  readonly #rulesOf: RowRulesOf;
  readonly #access: Access | undefined;
  readonly #known = new LruCache<string, View>(VIEWS);
  readonly #administrators = new LruCache<string, AdministratorViews>(VIEWS);
  readonly #libraries = new LruCache<string, LibraryViews>(VIEWS);

  /** @param access what the project's own code says of it. It is of callers over HTTP; administrators have rights of their own. */
  constructor(catalog: Catalog, rulesOf: RowRulesOf = () => ({}), access?: Access) {
    this.#fields = new CatalogFields(catalog);
    this.#rulesOf = rulesOf;
    this.#access = access;
    this.#everything = new View({
      fields: this.#fields,
      grants: FULL_ACCESS,
      showsPrivate: true,
      writesReadOnly: true,
      administration: ADMINISTRATION,
    });
    this.administration = { view: this.#everything, values: {} };
    this.full = { view: new View({ fields: this.#fields, grants: FULL_ACCESS, writesReadOnly: true }), values: {} };
    const ofCode = {
      fields: this.#fields,
      grants: FULL_ACCESS,
      showsPrivate: true,
      writesReadOnly: true,
      searchesJson: true,
    };
    this.code = { view: new View(ofCode), values: {} };
  }

  /**
   * A request of which nobody asks who makes it: of the type that it is for everything that is not private, within the
   * rules of access of the public. Other types are not shown through relations, as nobody was granted to find them; the
   * reference does the same.
   */
  get unasked(): Viewer {
    return this.viewer(NOBODY, {});
  }

  /** The View of all callers with equal grants. One that is no longer kept is made anew, under another key. */
  of(grants: Grants): View {
    const key = this.#access ? grants.key + this.#access.keyOf(grants) : grants.key;
    let view = this.#known.get(key);
    if (!view) {
      view = this.#make(grants);
      this.#known.set(key, view);
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

  /**
   * An administrator as code sees whose work it stands around: everything that one with the role of all rights is shown,
   * of the rows that this one is shown and may write.
   */
  forCode({ view, values }: Viewer): Viewer {
    const { read } = this.administrator({ key: 'code', isSuper: true, rights: [] }, new Map());
    return { view: view.narrowing(read), values };
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

  /** @throws Error for rules of access that name what is not there. */
  check(): void {
    this.#access?.check(this.#everything);
  }

  /** A caller with its grants and its own values. */
  viewer(grants: Grants, values: CallerValues): Viewer {
    return { view: this.of(grants), values };
  }

  #make(grants: Grants): View {
    const rules = this.#rulesOf(grants);
    const access = this.#access?.partsFor(this.#everything, grants, rules);
    const parts = access ?? { rows: rowConditions(this.#everything, rules) };
    return new View({ fields: this.#fields, grants, ...parts });
  }
}
