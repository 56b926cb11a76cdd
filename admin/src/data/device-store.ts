/** A store of IndexedDB in a database of its own. */

type Use = (store: IDBObjectStore) => IDBRequest | undefined;

/**
 * Returns a function that runs a transaction. It resolves to the result of its request when the data is durable, and
 * rejects if storage is forbidden, full or broken.
 *
 * @param options for creating the store.
 */
export function deviceStore(
  database: string,
  name: string,
  options?: IDBObjectStoreParameters,
): (mode: IDBTransactionMode, use: Use) => Promise<unknown> {
  return (mode, use) =>
    new Promise((resolve, reject) => {
      const opening = indexedDB.open(database, 1);
      opening.onupgradeneeded = () => void opening.result.createObjectStore(name, options);
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const opened = opening.result;
        const transaction = opened.transaction(name, mode);
        const request = use(transaction.objectStore(name));
        transaction.oncomplete = () => {
          opened.close();
          resolve(request?.result);
        };
        transaction.onabort = () => {
          opened.close();
          reject(transaction.error);
        };
      };
    });
}
