/** One store of IndexedDB in a database of its own. */

type Use = (store: IDBObjectStore) => IDBRequest | undefined;

/**
 * Gives what runs a function in a transaction, and resolves to what its request has found once everything is durable; it
 * rejects where the browser forbids storage, or it is full or broken.
 *
 * @param options of the store when it is made.
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
        const asked = use(transaction.objectStore(name));
        transaction.oncomplete = () => {
          opened.close();
          resolve(asked?.result);
        };
        transaction.onabort = () => {
          opened.close();
          reject(transaction.error);
        };
      };
    });
}
