/** What narrows what is below it as one writes. */
import type { KeyboardEvent, ReactNode, Ref } from 'react';
import { IconButton } from './button.tsx';
import { Search, X } from './icons.ts';
import styles from './search-field.module.css';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** What the cross does. */
  readonly clearLabel: string;
  readonly inputRef?: Ref<HTMLInputElement> | undefined;
  /** Called for Enter and the arrow down: somebody goes to what was found. */
  readonly onLeave?: () => void;
}

/** Escape empties it, and does nothing else as long as something is in it; then it leaves the field. */
export function SearchField({ label, value, onValue, clearLabel, inputRef, onLeave }: Props): ReactNode {
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const isEscape = event.key === 'Escape';
    if (isEscape && value === '') event.currentTarget.blur();
    if (isEscape && value !== '') onValue('');
    else if (onLeave && (event.key === 'Enter' || event.key === 'ArrowDown')) onLeave();
    else return;
    event.stopPropagation();
    event.preventDefault();
  };
  return (
    <div className={styles['search']}>
      <Search size={15} />
      <input
        ref={inputRef}
        type="search"
        dir="auto"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onValue(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {value !== '' && <IconButton icon={X} label={clearLabel} onClick={() => onValue('')} />}
    </div>
  );
}
