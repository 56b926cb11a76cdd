/** Operations that code may not perform because hooks of the project around them are left out. */
import { actionsOnRows, batchAction, coreNames, LIFECYCLE_WRITES } from '../access/actions.ts';
import type { Catalog, ContentType } from '../schema/catalog.ts';
import { AROUND_WRITES, type Operation } from './documents/document-actions.ts';
import type { Moment } from './documents/lifecycles.ts';
import { Unsupported } from './guarded.ts';

const ACTIONS: Readonly<Record<Operation, readonly string[]>> = {
  find: ['find', 'findOne'],
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
};

/** Refuses operations on types into whose rows code hooks that `config/galley` leaves out. */
export class Unhooked {
  /**
   * Why operations are refused, by the core actions that the code would run in: `api::article.article.find` stands for all
   * reads of rows, and `everything` for all actions.
   */
  reasons: ReadonlyMap<string, string> = new Map();

  /** Whether `bootstrap` runs, which may read: no caller receives its reads, and the actions of the type stay closed. */
  isStarting = false;

  /** @throws Unsupported where something that is not run stands before an operation. */
  require({ uid, builtIn, kind }: ContentType, operation: Operation): void {
    if (this.reasons.size === 0 || (operation === 'find' && (builtIn || this.isStarting))) return;
    const names = operation === 'create' && kind === 'singleType' ? ['update'] : ACTIONS[operation];
    const keys = ['everything', ...names.map((name) => `${uid}.${name}`)];
    const reason = keys.map((key) => this.reasons.get(key)).find((found) => found !== undefined);
    if (reason !== undefined) throw new Unsupported(`${operation} of ${uid} behind ${reason}:`);
  }
}

/** The writes that go beside core actions, of types before whose rows code stands, with why they are closed. */
export function besideHooks(
  catalog: Catalog,
  documents: { isTouched(uid: string, ...moments: Moment[]): boolean },
): Map<string, string> {
  const closed = new Map<string, string>();
  for (const type of catalog.contentTypes.values()) {
    const { uid, routed } = type;
    if (!documents.isTouched(uid, ...AROUND_WRITES)) continue;
    const core = new Set(coreNames(type).map((name) => `${uid}.${name}`));
    const writes = (['create', 'update', 'delete'] as const).flatMap((event) => actionsOnRows(catalog, uid, event));
    for (const action of [...writes, ...(routed ? [batchAction(type)] : [])]) {
      if (!core.has(action) && !LIFECYCLE_WRITES.has(action))
        closed.set(action, `it would bypass code that hooks into ${uid}`);
    }
  }
  return closed;
}
