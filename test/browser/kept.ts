/** The data that a page stores on the device. */
import type { Page } from 'playwright-core';

/** The keys of the stored queries; empty before the app has created its store. */
export function keptKeys(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    // Opening the database too early would create it without a store.
    if (!(await indexedDB.databases()).some(({ name }) => name === 'galley/admin/')) return [];
    const database = await done(indexedDB.open('galley/admin/'));
    const keys = await done(database.transaction('seen').objectStore('seen').getAllKeys());
    database.close();
    return keys.map(String);
  });
}
