/** Places of a text that stay where they are while it is written in. */
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

interface Range {
  from: number;
  to: number;
}

export class Places {
  readonly #held = new Set<Range>();

  /** Has the editor move the places along. */
  readonly extension: Extension = EditorView.updateListener.of(({ docChanged, changes }) => {
    if (!docChanged) return;
    for (const place of this.#held) {
      const [from, to] = [changes.mapPos(place.from, -1), changes.mapPos(place.to, -1)];
      place.from = from;
      place.to = Math.max(from, to);
    }
  });

  /** Holds a place. What it gives tells where that is by now, and lets go of it. */
  hold(from: number, to: number): () => Readonly<Range> {
    const place = { from, to };
    this.#held.add(place);
    return () => {
      this.#held.delete(place);
      return place;
    };
  }
}
