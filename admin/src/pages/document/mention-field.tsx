/** The text of a comment, in which `@` suggests people to mention. The focus stays in the text. */
import * as Radix from '@radix-ui/react-popover';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import type { Person } from '../../../contract/documents.ts';
import { peopleQuery, type VersionPlace } from '../../data/review.ts';
import { useText } from '../../language/language.tsx';
import { Avatar } from '../../ui/bits.tsx';
import { classes } from '../../ui/classes.ts';
import floating from '../../ui/floating.module.css';
import { Textarea } from '../../ui/input.tsx';
import styles from './comments.module.css';
import { typedMention } from './mentions.ts';

interface Props {
  /** The document, which the suggested people may read. */
  readonly place: VersionPlace;
  readonly value: string;
  readonly maxLength: number;
  readonly onValue: (value: string) => void;
  /** Called when a person is chosen, before the name is in the text. */
  readonly onMention: (person: Person) => void;
}

export function MentionField({ place, value, maxLength, onValue, onMention }: Props): ReactNode {
  const t = useText();
  const listId = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [typed, setTyped] = useState<ReturnType<typeof typedMention>>();
  /** The place of an `@` whose suggestions were closed. */
  const closed = useRef<number>(undefined);
  const [at, setAt] = useState(0);
  const name = typed?.name ?? '';
  const { data = [], isPlaceholderData } = useQuery({ ...peopleQuery(place, name), enabled: typed !== undefined });
  // The previous people are filtered here until those of the server arrive.
  const needle = name.toLocaleLowerCase();
  const found = typed ? data.filter((one) => one.name.toLocaleLowerCase().includes(needle)) : [];
  const isOpen = found.length > 0;
  const current = found[Math.min(at, found.length - 1)];
  const look = (): void => {
    const { value: text, selectionStart, selectionEnd } = field.current!;
    const next = selectionStart === selectionEnd ? typedMention(text, selectionStart) : undefined;
    if (next?.from !== closed.current) closed.current = undefined;
    setTyped(next?.from === closed.current ? undefined : next);
  };
  const close = (): void => {
    closed.current = typed?.from;
    setTyped(undefined);
  };
  const choose = (person: Person): void => {
    const { current: area } = field;
    if (!area || !typed) return;
    onMention(person);
    close();
    area.setSelectionRange(typed.from, typed.from + 1 + typed.name.length);
    // Unlike a new value, it is a step that undo takes back.
    document.execCommand('insertText', false, `@${person.name} `);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!isOpen || !current || event.nativeEvent.isComposing) return;
    const index = found.indexOf(current);
    const next = { ArrowDown: index + 1, ArrowUp: index - 1 + found.length }[event.key];
    if (next !== undefined && !event.altKey) setAt(next % found.length);
    else if (event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) choose(current);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <p role="status" className={styles['unseen']}>
        {isOpen && t('combobox.results', { count: found.length })}
        {typed && !isOpen && !isPlaceholderData && !/\s/.test(name) && t('review.people.none')}
      </p>
      <Radix.Root open={isOpen} onOpenChange={(open) => !open && close()}>
        <Radix.Anchor asChild>
          <div>
            <Textarea
              ref={field}
              rows={2}
              value={value}
              maxLength={maxLength}
              aria-autocomplete="list"
              {...(isOpen &&
                current && { 'aria-controls': listId, 'aria-activedescendant': `${listId}-${current.id}` })}
              onChange={({ target }) => {
                onValue(target.value);
                setAt(0);
                look();
              }}
              onSelect={() => typed && look()}
              onBlur={() => setTyped(undefined)}
              onKeyDown={onKeyDown}
            />
          </div>
        </Radix.Anchor>
        <Radix.Portal>
          <Radix.Content
            className={classes(floating['panel'], floating['proposals'])}
            align="start"
            sideOffset={4}
            collisionPadding={8}
            aria-label={t('comments.people')}
            onOpenAutoFocus={(event) => event.preventDefault()}
            onCloseAutoFocus={(event) => event.preventDefault()}
            // The text counts as a part of the suggestions.
            onFocusOutside={(event) => event.preventDefault()}
          >
            <div role="listbox" id={listId} aria-label={t('comments.people')}>
              {found.map((person) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the text
                <div
                  key={person.id}
                  ref={person === current ? intoSight : null}
                  id={`${listId}-${person.id}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={person === current}
                  data-highlighted={person === current ? '' : undefined}
                  className={floating['item']}
                  // Keeps the focus and the selection of the text.
                  onMouseDown={(event) => event.preventDefault()}
                  onMouseMove={() => setAt(found.indexOf(person))}
                  onClick={() => choose(person)}
                >
                  <Avatar name={person.name} />
                  <span className={floating['grow']} dir="auto">
                    {person.name}
                  </span>
                </div>
              ))}
            </div>
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </>
  );
}

function intoSight(element: HTMLDivElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
