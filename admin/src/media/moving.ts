/** Moving files and folders by drag and drop. */
import { type DragEvent, useState } from 'react';
import type { Chosen } from './data.ts';

const TYPE = 'application/x-galley-library';

/** The dragged selection. Browsers reveal the data of an event only when it is dropped. */
let held: Chosen | undefined;

/** Properties that make an element draggable. */
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
 * Properties that make a folder a drop target.
 *
 * @param folder its id; null for the top.
 * @param onMove undefined if nothing may be dropped.
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
