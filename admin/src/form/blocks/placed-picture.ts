/** A picture of a blocks document whose alternative text can be set even after it has moved. */
import { Editor, Element, Node, type Path } from 'slate';
import type { MissingAlternative } from '../pictures/missing-alternatives.tsx';
import { describePicture } from './commands.ts';
import type { BlocksEditor } from './nodes.ts';

export function placedPicture(editor: BlocksEditor, path: Path): MissingAlternative {
  const ref = Editor.pathRef(editor, path);
  const imageAt = (at: Path | null): Readonly<Record<string, unknown>> => {
    const node = at && Node.getIf(editor, at);
    return (Element.isElement(node) && node.image) || {};
  };
  const { url, name } = imageAt(path);
  return {
    url: String(url ?? ''),
    name: String(name ?? ''),
    isMissing: () => ref.current !== null && !imageAt(ref.current)['alternativeText'],
    describe: (alternative) => {
      if (ref.current) describePicture(editor, ref.current, alternative);
    },
  };
}

/** The pictures at the paths that have no alternative text. */
export function missingAlternatives(editor: BlocksEditor, paths: readonly Path[]): readonly MissingAlternative[] {
  return paths.map((path) => placedPicture(editor, path)).filter(({ isMissing }) => isMissing());
}
