/** Lines that are written in the direction of their first letter, each by itself. */
import { type Extension, RangeSetBuilder } from '@codemirror/state';
import { Decoration, EditorView } from '@codemirror/view';

const byItself = Decoration.line({ attributes: { dir: 'auto' } });

export const eachLineByItself: Extension = [
  EditorView.perLineTextDirection.of(true),
  EditorView.decorations.of(({ state: { doc }, visibleRanges }) => {
    const lines = new RangeSetBuilder<Decoration>();
    let next = 0;
    for (const { from, to } of visibleRanges) {
      for (let at = Math.max(from, next); at <= to; at = next) {
        const line = doc.lineAt(at);
        lines.add(line.from, line.from, byItself);
        next = line.to + 1;
      }
    }
    return lines.finish();
  }),
];
