/** A search field that filters as the user types. */
import type { KeyboardEvent, ReactNode, Ref } from 'react';
import { IconButton } from './button.tsx';
import { Search, X } from './icons.ts';
import styles from './search-field.module.css';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  /** The label of the clear button. */
  readonly clearLabel: string;
  readonly inputRef?: Ref<HTMLInputElement> | undefined;
  /** Called for Enter and arrow down, which lead to the results. */
  readonly onLeave?: () => void;
}

/** Escape clears the field; in an empty field it moves the focus away. */
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
