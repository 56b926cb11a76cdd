/** Accepts files that are dropped anywhere, or pasted. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Upload } from '../ui/icons.ts';
import styles from './drop.module.css';

interface Props {
  /** The text that is shown while files are held above the page. */
  readonly label: string;
  readonly onFiles: (files: readonly File[]) => void;
  readonly disabled?: boolean;
}

/** The whole window accepts files while the component is mounted. */
export function DropAnywhere({ label, onFiles, disabled = false }: Props): ReactNode {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    if (disabled) return;
    // The browser reports entering an element before leaving the one around it.
    let depth = 0;
    const onEnter = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const onLeave = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setOver(false);
    };
    const onOver = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.dataTransfer!.dropEffect = 'copy';
    };
    const onDrop = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      give(event.dataTransfer!);
    };
    const onPaste = (event: ClipboardEvent): void => {
      if (!event.clipboardData || event.clipboardData.files.length === 0) return;
      // Programs often copy text together with a picture of it.
      if (isWritten(event.target) && event.clipboardData.types.includes('text/plain')) return;
      event.preventDefault();
      give(event.clipboardData);
    };
    const give = (data: DataTransfer): void => {
      // A folder looks like a file without content.
      const items = [...data.items].filter(({ kind }) => kind === 'file');
      const files = items.flatMap((item) => (item.webkitGetAsEntry?.()?.isDirectory ? [] : [item.getAsFile()]));
      const found = files.filter((file) => file !== null);
      if (found.length > 0) latest.current(found);
    };
    const pairs = { dragenter: onEnter, dragleave: onLeave, dragover: onOver, drop: onDrop, paste: onPaste } as const;
    for (const [name, listener] of Object.entries(pairs)) addEventListener(name, listener as EventListener);
    return () => {
      for (const [name, listener] of Object.entries(pairs)) removeEventListener(name, listener as EventListener);
      setOver(false);
    };
  }, [disabled]);
  if (!isOver) return null;
  return (
    <div className={styles['over']}>
      <Upload size={28} />
      {label}
    </div>
  );
}

const isWritten = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}
