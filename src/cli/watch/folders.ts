/**
 * Watches folders, each with its own watcher. On Linux Node's recursive watching needs a watch for every file, and loses
 * folders that are removed and created again.
 */
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';

interface Watched {
  readonly watcher: FSWatcher;
  readonly inode: number;
}

export class Folders {
  readonly #changed: (folder: string, name: string | null) => void;
  readonly #watched = new Map<string, Watched>();

  /** @param changed called with a folder and the name of the changed entry, which is null if the system does not tell. */
  constructor(changed: (folder: string, name: string | null) => void) {
    this.#changed = changed;
  }

  /**
   * Watches these folders, by path and inode, and no others.
   *
   * @returns whether one of them was not watched before.
   * @throws NodeJS.ErrnoException ENOSPC or EMFILE if the system has no more watches.
   */
  set(folders: ReadonlyMap<string, number>): boolean {
    for (const [folder, { inode }] of this.#watched) if (folders.get(folder) !== inode) this.#unwatch(folder);
    const fresh = [...folders].filter(([folder]) => !this.#watched.has(folder));
    for (const [folder, inode] of fresh) this.#watch(folder, inode);
    return fresh.length > 0;
  }

  close(): void {
    for (const folder of [...this.#watched.keys()]) this.#unwatch(folder);
  }

  #watch(folder: string, inode: number): void {
    let watcher: FSWatcher;
    try {
      watcher = watch(folder, { persistent: false }, (event, name) => {
        // the folder itself was moved or removed; a new one may have the same path and inode
        if (event === 'rename' && name === path.basename(folder)) this.#unwatch(folder);
        this.#changed(folder, name);
      });
    } catch (error) {
      // removed since it was listed; its parent reports that
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    watcher.on('error', () => this.#unwatch(folder));
    this.#watched.set(folder, { watcher, inode });
  }

  #unwatch(folder: string): void {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
  }
}
