/** Sortable lists: by dragging, and with the keyboard on the same handle. */
import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  MouseSensor,
  TouchSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import {
  rectSortingStrategy,
  SortableContext,
  sortableKeyboardCoordinates,
  useSortable,
  verticalListSortingStrategy,
} from '@dnd-kit/sortable';
import { CSS } from '@dnd-kit/utilities';
import { type CSSProperties, type ReactNode, useMemo } from 'react';
import { useText } from '../../language/language.tsx';
import { GripVertical } from '../../ui/icons.ts';
import styles from './rows.module.css';

interface SortableProps {
  /** The keys of the entries, in order. */
  readonly keys: readonly string[];
  readonly nameOf: (index: number) => string;
  /** The total number of entries, if there are others, and the position of each key among them. */
  readonly count?: number;
  readonly placeOf?: (index: number) => number;
  readonly onMove: (from: number, to: number) => void;
  /** `grid`: entries also stand side by side. */
  readonly as?: 'list' | 'grid';
  readonly children: ReactNode;
}

/** The pixels that a mouse has to move, and the milliseconds that a finger has to rest, before dragging starts. */
const BEGINS = { mouse: 4, touch: 180, tolerance: 8 };

export function Sortable(props: SortableProps): ReactNode {
  const { keys, nameOf, count = keys.length, placeOf = same, onMove, as = 'list', children } = props;
  const t = useText();
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: BEGINS.mouse } }),
    useSensor(TouchSensor, { activationConstraint: { delay: BEGINS.touch, tolerance: BEGINS.tolerance } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const values = (id: UniqueIdentifier, over: UniqueIdentifier = id) => ({
    name: nameOf(keys.indexOf(String(id))),
    place: placeOf(keys.indexOf(String(over))) + 1,
    count,
  });
  const announcements: Announcements = {
    onDragStart: ({ active }) => t('sort.picked', values(active.id)),
    onDragOver: ({ active, over }) => t('sort.over', values(active.id, over?.id)),
    onDragEnd: ({ active, over }) => t('sort.dropped', values(active.id, over?.id)),
    onDragCancel: ({ active }) => t('sort.left', { name: values(active.id).name }),
  };
  const onDragEnd = ({ active, over }: DragEndEvent): void => {
    if (over && over.id !== active.id) onMove(keys.indexOf(String(active.id)), keys.indexOf(String(over.id)));
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      modifiers={as === 'list' ? [upAndDown] : []}
      accessibility={{ announcements, screenReaderInstructions: { draggable: t('sort.help') } }}
      onDragEnd={onDragEnd}
    >
      <SortableContext items={[...keys]} strategy={as === 'list' ? verticalListSortingStrategy : rectSortingStrategy}>
        {children}
      </SortableContext>
    </DndContext>
  );
}

const same = (index: number): number => index;

const upAndDown = <T extends { readonly x: number }>({ transform }: { readonly transform: T }): T => ({
  ...transform,
  x: 0,
});

export interface SortableEntry {
  readonly setNode: (node: HTMLElement | null) => void;
  readonly style: CSSProperties;
  readonly isDragging: boolean;
  /** The handle. */
  readonly grip: ReactNode;
}

/** An entry of a `Sortable`. */
export function useSortableEntry(key: string, name: string): SortableEntry {
  const t = useText();
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: key,
  });
  const style = useMemo(
    () => ({ transform: CSS.Translate.toString(transform), transition }) as CSSProperties,
    [transform, transition],
  );
  const grip = (
    <button
      type="button"
      ref={setActivatorNodeRef}
      className={styles['grip']}
      aria-label={t('sort.grip', { name })}
      aria-describedby={attributes['aria-describedby']}
      {...listeners}
    >
      <GripVertical size={14} />
    </button>
  );
  return { setNode: setNodeRef, style, isDragging, grip };
}

/** A list with one entry moved. */
export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(to, 0, list[from]!);
}
