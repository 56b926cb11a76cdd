/** `hooks` and `providerFactory` of `@strapi/utils`: lists of functions that are called in one way or another. */
type Handler = (context: unknown) => unknown;

/** A list of functions. @param call calls them all with their arguments. */
function hook(call: (handlers: readonly Handler[], context: unknown) => Promise<unknown>) {
  let handlers: Handler[] = [];
  return {
    getHandlers: () => handlers,
    register(handler: Handler) {
      handlers.push(handler);
      return this;
    },
    delete(handler: Handler) {
      handlers = handlers.filter((one) => one !== handler);
      return this;
    },
    call: (context?: unknown) => call(handlers, context),
  };
}

const inTurn = () =>
  hook(async (handlers, context) => {
    for (const handler of handlers) await handler(context);
  });
const together = () => hook((handlers, context) => Promise.all(handlers.map((handler) => handler(copied(context)))));

export const hooks = {
  /** One behind the other. */
  createAsyncSeriesHook: inTurn,
  /** In sequence, each with the result of the one before. */
  createAsyncSeriesWaterfallHook: () =>
    hook(async (handlers, context) => {
      let result = context;
      for (const handler of handlers) result = await handler(result);
      return result;
    }),
  /** All at once, each with a copy. */
  createAsyncParallelHook: together,
  /** One behind the other, until one gives anything. */
  createAsyncBailHook: () =>
    hook(async (handlers, context) => {
      for (const handler of handlers) {
        const result = await handler(context);
        if (result !== undefined) return result;
      }
      return undefined;
    }),
};

/** A copy of plain objects and lists; functions, classes and their instances are shared. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copied(inner)]));
}

/** A registry by key, with hooks for additions and removals. */
export function providerFactory({ throwOnDuplicates = true }: { throwOnDuplicates?: boolean } = {}) {
  const registry = new Map<unknown, unknown>();
  const hooks = { willRegister: inTurn(), didRegister: together(), willDelete: together(), didDelete: together() };
  return {
    hooks: hooks,
    async register(key: unknown, value: unknown) {
      if (throwOnDuplicates && registry.has(key)) throw new Error(`Duplicated item key: ${String(key)}`);
      await hooks.willRegister.call({ key, value });
      registry.set(key, value);
      await hooks.didRegister.call({ key, value });
      return this;
    },
    async delete(key: unknown) {
      if (!registry.has(key)) return this;
      const value = registry.get(key);
      await hooks.willDelete.call({ key, value });
      registry.delete(key);
      await hooks.didDelete.call({ key, value });
      return this;
    },
    async clear() {
      for (const key of [...registry.keys()]) await this.delete(key);
      return this;
    },
    get: (key: unknown) => registry.get(key),
    has: (key: unknown) => registry.has(key),
    keys: () => [...registry.keys()],
    values: () => [...registry.values()],
    size: () => registry.size,
  };
}
