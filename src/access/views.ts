/** The Views of a project, created on first use of a set of grants and cached until the project is replaced. */
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

/** Conditions on rows for callers with some grants; equal for equal keys of grants. */
export type RowRulesOf = (grants: Grants) => RowRules;

/** Cached Views: different sets of rights. */
const VIEWS = 1000;

/** The rights of a request whose caller is not looked up. */
const NOBODY = grantsOf([], 'public');

const ADMINISTRATION: ReadonlySet<string> = new Set([ADMIN_USER_UID, ADMIN_ROLE_UID, ADMIN_PERMISSION_UID]);

export class Views {
  /** For code that embeds the server: every action and every row. Private attributes stay hidden. */
  readonly full: Viewer;
  /** For project code: the same with private attributes. Passwords stay hidden. */
  readonly code: Viewer;
  /** What project code sees, without private attributes. */
  readonly codeWithoutPrivate: Viewer;
  /** What project code sees with administrators, their roles and permissions, for code that queries these types. */
  readonly administration: Viewer;
  readonly #fields: CatalogFields;
  /** The View that rules are resolved with. */
  readonly #everything: View;
  readonly #rulesOf: RowRulesOf;
  readonly #access: Access | undefined;
  readonly #known = new LruCache<string, View>(VIEWS);
  readonly #administrators = new LruCache<string, AdministratorViews>(VIEWS);
  readonly #libraries = new LruCache<string, LibraryViews>(VIEWS);

  /**
   * @param access the project's rules of access. They apply to callers over HTTP; administrators have rights of their
   * own.
   */
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
    this.codeWithoutPrivate = { view: new View({ ...ofCode, showsPrivate: false }), values: {} };
  }

  /**
   * The Viewer of a request whose caller is not looked up: it sees everything of a type that is not private, within the
   * rules of access of the public. Other types are not visible through relations, as in the reference: without a caller
   * no grant lets it find them.
   */
  get unasked(): Viewer {
    return this.viewer(NOBODY, {});
  }

  /**
   * The View of all callers with equal grants. A View that was dropped from the cache is created again with another
   * key.
   */
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
   * @param closed actions that project code guards: the same for every administrator.
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
   * The Viewer for project code that runs around an administrator's work: all fields that a super administrator sees,
   * in the rows that this administrator sees and may write.
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

  /** @throws Error for rules of access with unknown names. */
  check(): void {
    this.#access?.check(this.#everything);
  }

  /** The Viewer of a caller. */
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
