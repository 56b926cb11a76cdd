/** What a page keeps on the device of what was last seen. */
import type { Page } from 'playwright-core';

/** The keys of the queries whose answers are kept; none before the app has made its store. */
export function keptKeys(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    // opened before the app has made it, it would have no store for good
    if (!(await indexedDB.databases()).some(({ name }) => name === 'galley/admin/')) return [];
    const database = await done(indexedDB.open('galley/admin/'));
    const keys = await done(database.transaction('seen').objectStore('seen').getAllKeys());
    database.close();
    return keys.map(String);
  });
}
