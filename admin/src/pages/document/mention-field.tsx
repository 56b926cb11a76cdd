/** The text of a comment, in which `@` suggests people to mention. The focus stays in the text. */

import * as Radix from '@radix-ui/react-popover';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import type { Person } from '../../../contract/documents.ts';
import { peopleQuery, type VersionPlace } from '../../data/review.ts';
import { useText } from '../../language/language.tsx';
import { Avatar } from '../../ui/bits.tsx';
import floating from '../../ui/floating.module.css';
import { Textarea } from '../../ui/input.tsx';
import { SuggestionList, useSuggestions } from '../../ui/suggestions.tsx';
import unseen from '../../ui/unseen.module.css';
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
  const field = useRef<HTMLTextAreaElement>(null);
  const [typed, setTyped] = useState<ReturnType<typeof typedMention>>();
  /** The place of an `@` whose suggestions were closed. */
  const closed = useRef<number>(undefined);
  const name = typed?.name ?? '';
  const { data = [], isPlaceholderData } = useQuery({ ...peopleQuery(place, name), enabled: typed !== undefined });
  // The previous people are filtered here until those of the server arrive.
  const needle = name.toLocaleLowerCase();
  const found = typed ? data.filter((one) => one.name.toLocaleLowerCase().includes(needle)) : [];
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
  const suggestions = useSuggestions({ found, keyOf: ({ id }) => id, onChoose: choose, onClose: close });
  const { isOpen } = suggestions;
  return (
    <>
      <p role="status" className={unseen['unseen']}>
        {isOpen && t('combobox.results', { count: found.length })}
        {typed && !isOpen && !isPlaceholderData && !/\s/.test(name) && t('review.people.none')}
      </p>
      <SuggestionList
        of={suggestions}
        label={t('comments.people')}
        className={floating['proposals']}
        anchor={
          <Radix.Anchor asChild>
            <div>
              <Textarea
                ref={field}
                rows={2}
                value={value}
                maxLength={maxLength}
                aria-autocomplete="list"
                {...suggestions.ties}
                onChange={({ target }) => {
                  onValue(target.value);
                  suggestions.goTo(0);
                  look();
                }}
                onSelect={() => typed && look()}
                onBlur={() => setTyped(undefined)}
                onKeyDown={suggestions.onKey}
              />
            </div>
          </Radix.Anchor>
        }
      >
        {(person) => (
          <>
            <Avatar name={person.name} />
            <span className={floating['grow']} dir="auto">
              {person.name}
            </span>
          </>
        )}
      </SuggestionList>
    </>
  );
}
