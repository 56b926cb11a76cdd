/** Ranges of a text that move along with edits. */
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

export interface TrackedRange {
  readonly from: number;
  readonly to: number;
}

export class TrackedRanges {
  readonly #held = new Set<{ from: number; to: number }>();

  /** The extension that updates the ranges. */
  readonly extension: Extension = EditorView.updateListener.of(({ docChanged, changes }) => {
    if (!docChanged) return;
    for (const place of this.#held) {
      const [from, to] = [changes.mapPos(place.from, -1), changes.mapPos(place.to, -1)];
      place.from = from;
      place.to = Math.max(from, to);
    }
  });

  /** Tracks a range. The result always has the current offsets. */
  track(from: number, to = from): TrackedRange {
    const place = { from, to };
    this.#held.add(place);
    return place;
  }

  /** Stops tracking a range. */
  release(place: TrackedRange): void {
    this.#held.delete(place);
  }
}
