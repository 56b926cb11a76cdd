/** The store of a provider that Galley has not: stored addresses stay as they are, and nothing is stored or removed. */
import { ContentError } from '../../errors.ts';
import type { Storage } from './storage.ts';

/** A store whose every change is refused with 400. */
export function unsupportedStorage(name: string): Storage {
  const refuse = async (): Promise<never> => {
    throw new ContentError('ApplicationError', `Files cannot be changed: there is no provider ${name} here`);
  };
  return {
    name,
    names: new Set([name]),
    put: refuse,
    get: async () => undefined,
    remove: refuse,
    stat: async () => undefined,
    async *list() {},
    urlOf: (key) => key,
    keyOf: () => undefined,
    close: async () => undefined,
  };
}
