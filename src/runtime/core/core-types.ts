/** Core controllers and services of types, with those of the project in their place. */
import { UsageError } from '../../errors.ts';
import type { ContentType } from '../../schema/catalog.ts';
import type { ProjectDocuments } from '../documents/documents.ts';
import type { Moment } from '../documents/lifecycles.ts';
import type { Registry } from '../registry.ts';
import type { Context } from '../requests/context.ts';
import { type CoreAction, coreRoutesOf } from '../requests/routes.ts';
import { viewerOf } from '../requests/verified-viewer.ts';
import type { RuntimeContext } from '../runtime-context.ts';
import type { Schemas } from '../schemas/schemas.ts';
import type { CoreMade, CoreRouter, Factories } from '../strapi/packages.ts';
import type { ContentApi } from './content-api.ts';
import type { CoreActions } from './core-actions.ts';
import { coreController } from './core-controller.ts';
import { coreService } from './core-service.ts';
import type { PreparedReads } from './prepared-reads.ts';

export interface CoreTypesContext {
  readonly runtime: RuntimeContext;
  readonly schemas: Schemas;
  readonly contentApi: ContentApi;
  readonly actions: CoreActions;
  readonly reads: PreparedReads;
  readonly documents: ProjectDocuments;
  readonly service: (uid: string) => Record<string, (...args: unknown[]) => Promise<unknown>>;
  readonly current: () => Context | undefined;
}

type Members = Record<string, unknown>;

/** The members of a core controller or service. */
interface Base {
  readonly members: Members;
  /** Those that all actions of a controller have in common. */
  readonly shared: object;
}

/** The operations on rows in an action. */
const MOMENTS: Readonly<Record<string, readonly Moment[]>> = {
  find: ['FindMany', 'FindOne', 'Count'],
  findOne: ['FindOne'],
  // the reference reads what it writes
  create: ['Create', 'FindOne', 'FindMany'],
  update: ['Create', 'Update', 'Delete', 'FindOne', 'FindMany'],
  delete: ['Delete', 'FindOne', 'FindMany'],
};

export class CoreTypes implements Factories {
  readonly #context: CoreTypesContext;
  /** The object that `super` calls in a controller or service of the project; code may change it later. */
  readonly #bases = new WeakMap<object, Base>();

  constructor(context: CoreTypesContext) {
    this.#context = context;
  }

  controller({ uid, own }: CoreMade, tools: object): object {
    const { schemas, runtime, contentApi, actions, reads, current } = this.#context;
    const type = this.#typeOf(uid, 'createCoreController');
    const isTouched = (action: string): boolean => this.isTouched(type, action);
    const hasOwnService = (): boolean => this.#differs(this.#context.service(uid));
    const service = () => this.#narrowed(this.#context.service(uid));
    const schema = schemas.of(uid)!;
    const base = coreController({
      ...{ type, schema, runtime, contentApi, actions, reads, service, hasOwnService, isTouched, current },
    });
    return this.#with(own, base, tools);
  }

  /** A service that works with the rows of the caller. */
  #narrowed(service: ReturnType<CoreTypesContext['service']>): ReturnType<CoreTypesContext['service']> {
    const { runtime, current } = this.#context;
    const ctx = current();
    if (!ctx) return service;
    return new Proxy(service, {
      get:
        (made, name: string) =>
        (...args: unknown[]) =>
          runtime.narrowing.run(viewerOf(runtime, ctx), () => made[name]!(...args)),
    });
  }

  /** Makes the methods of an object work with the rows of the caller. */
  #serving<T extends object>(target: T, names: readonly string[]): T {
    const { narrowing } = this.#context.runtime;
    const members = target as Members;
    for (const name of names) {
      const method = members[name] as (...args: unknown[]) => unknown;
      if (typeof method !== 'function') continue;
      members[name] = function (this: unknown, ...args: unknown[]) {
        return narrowing.serving(() => method.apply(this, args));
      };
    }
    return target;
  }

  service({ uid, own }: CoreMade, tools: object): object {
    const { schemas, runtime, documents } = this.#context;
    const type = this.#typeOf(uid, 'createCoreService');
    const context = { type, schema: schemas.of(uid)!, runtime, documents: () => documents.of(uid) };
    const base = coreService(context);
    const names = Object.keys(base);
    const created = this.#with(own, this.#serving(base, names), tools) as Members;
    // `super` works this way already
    const replaced = names.filter((name) => created[name] !== (base as Members)[name]);
    return this.#serving(created, replaced);
  }

  /** Adds controllers and services of types that have no file for them. */
  fill(controllers: Registry<Members>, services: Registry<unknown>): void {
    for (const { uid, routed } of this.#context.runtime.catalog.contentTypes.values()) {
      if (!routed) continue;
      if (!controllers.has(uid))
        controllers.set(uid, (tools: object) => this.controller({ uid, own: undefined }, tools));
      if (!services.has(uid)) services.set(uid, (tools: object) => this.service({ uid, own: undefined }, tools));
    }
  }

  routesOf(router: CoreRouter): readonly object[] {
    return coreRoutesOf(this.#context.runtime.catalog, router);
  }

  /** Whether code stands between an action of a core controller and the documents, at the moment. */
  isTouched(type: ContentType, action: string): boolean {
    const { documents, service } = this.#context;
    // resolved each time: code may change a service after its routes were created
    return this.#differs(service(type.uid)) || documents.isTouched(type.uid, ...(MOMENTS[action] ?? []));
  }

  /** Whether an action of a controller is the project's own, at the moment: code may replace its methods at any time. */
  isOwn({ type, name }: CoreAction, controllers: Registry<Members>): boolean {
    const controller = controllers.own(type.uid)!;
    const base = this.#bases.get(controller);
    if (base === undefined || controller[name] !== base.members[name]) return true;
    return differs(controller, base.members, base.shared);
  }

  /** Whether code has put anything in the place of a member of a core service. */
  #differs(created: Members): boolean {
    const base = this.#bases.get(created);
    return base === undefined || differs(created, base.members, base.members);
  }

  /** The project's own members in front of those of a base, which `super` means. */
  #with(own: unknown, base: object, tools: object): object {
    const created = (typeof own === 'function' ? (own as (tools: object) => unknown)(tools) : own) ?? {};
    const members = created as Members;
    for (const name of Object.keys(base)) members[name] ??= (base as Members)[name];
    Object.setPrototypeOf(members, base);
    const original: Members = {};
    for (const name in base) original[name] = (base as Members)[name];
    this.#bases.set(members, { members: original, shared: { ...(Object.getPrototypeOf(base) as object) } });
    return members;
  }

  #typeOf(uid: string, factory: string): ContentType {
    const type = this.#context.runtime.catalog.contentTypes.get(uid);
    if (!type) throw new UsageError(`${factory}('${uid}'): there is no content type of this uid`, 1);
    return type;
  }
}

/**
 * Whether a member differs from that of another object or its prototypes. This creates no list, since each request
 * calls it.
 */
function differs(created: Members, base: Members, having: object): boolean {
  for (const key in having) if (created[key] !== base[key]) return true;
  return false;
}
