/**
 * Watches folders, each by itself: Node's recursive watching takes a watch for every file on Linux, and loses folders
 * that are removed and made again.
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

  /** @param changed told of a folder and the name in it that something has happened to, where the system tells one. */
  constructor(changed: (folder: string, name: string | null) => void) {
    this.#changed = changed;
  }

  /**
   * Watches these folders, by path and inode, and no others. Whatever happens in them from now on is told.
   *
   * @returns whether there was one that had not been watched.
   * @throws NodeJS.ErrnoException ENOSPC or EMFILE when the system watches no more.
   */
  set(folders: ReadonlyMap<string, number>): boolean {
    for (const [folder, { inode }] of this.#watched) if (folders.get(folder) !== inode) this.#leave(folder);
    const fresh = [...folders].filter(([folder]) => !this.#watched.has(folder));
    for (const [folder, inode] of fresh) this.#watch(folder, inode);
    return fresh.length > 0;
  }

  close(): void {
    for (const folder of [...this.#watched.keys()]) this.#leave(folder);
  }

  #watch(folder: string, inode: number): void {
    let watcher: FSWatcher;
    try {
      watcher = watch(folder, { persistent: false }, (event, name) => {
        // the name of the folder itself: it was moved or removed, and another may have taken its place and inode
        if (event === 'rename' && name === path.basename(folder)) this.#leave(folder);
        this.#changed(folder, name);
      });
    } catch (error) {
      // gone since it was listed, which its parent tells
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    watcher.on('error', () => this.#leave(folder));
    this.#watched.set(folder, { watcher, inode });
  }

  #leave(folder: string): void {
    this.#watched.get(folder)?.watcher.close();
    this.#watched.delete(folder);
  }
}
