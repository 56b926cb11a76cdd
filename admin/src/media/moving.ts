/** Moving files and folders by drag: the browser's own, which says what is held to whatever it is held above. */
import { type DragEvent, useState } from 'react';
import type { Chosen } from './data.ts';

const TYPE = 'application/x-galley-library';

/** What is held. It can be read from the event only once it is dropped. */
let held: Chosen | undefined;

/** What makes something draggable that stands for files and folders. */
export function dragSource(chosen: () => Chosen) {
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      held = chosen();
      event.dataTransfer.setData(TYPE, JSON.stringify(held));
      event.dataTransfer.effectAllowed = 'move';
    },
    onDragEnd: () => {
      held = undefined;
    },
  };
}

/**
 * What makes a folder a place to drop on.
 *
 * @param folder its id; null: none.
 * @param onMove undefined: nothing may be dropped.
 */
export function useDropTarget(
  folder: number | null,
  onMove: ((chosen: Chosen, to: number | null) => void) | undefined,
) {
  const [isOver, setOver] = useState(false);
  const takes = (event: DragEvent): boolean =>
    onMove !== undefined && event.dataTransfer.types.includes(TYPE) && !held?.folders.includes(folder ?? -1);
  return {
    isOver,
    target: {
      onDragOver: (event: DragEvent) => {
        if (!takes(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = 'move';
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: (event: DragEvent) => {
        setOver(false);
        if (!takes(event)) return;
        event.preventDefault();
        onMove!(JSON.parse(event.dataTransfer.getData(TYPE)) as Chosen, folder);
      },
    },
  };
}
