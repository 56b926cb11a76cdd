/** Places of a text that move along while it is written in. */
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

export interface TrackedRange {
  readonly from: number;
  readonly to: number;
}

export class TrackedRanges {
  readonly #held = new Set<{ from: number; to: number }>();

  /** Has the editor move the places along. */
  readonly extension: Extension = EditorView.updateListener.of(({ docChanged, changes }) => {
    if (!docChanged) return;
    for (const place of this.#held) {
      const [from, to] = [changes.mapPos(place.from, -1), changes.mapPos(place.to, -1)];
      place.from = from;
      place.to = Math.max(from, to);
    }
  });

  /** Holds a place: the result always says where it is by now. */
  track(from: number, to = from): TrackedRange {
    const place = { from, to };
    this.#held.add(place);
    return place;
  }

  /** Moves a place along no longer. */
  release(place: TrackedRange): void {
    this.#held.delete(place);
  }
}
