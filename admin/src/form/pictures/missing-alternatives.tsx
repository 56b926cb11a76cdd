/** Asks for the alternative text of pictures that were put into a text without one. It interrupts no one who writes on. */
import type { ReactNode } from 'react';
import { useText } from '../../language/language.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { X } from '../../ui/icons.ts';
import styles from './pictures.module.css';

/** A picture at one place of a text. Others of the same address have alternative texts of their own. */
export interface PlacedPicture {
  readonly url: string;
  /** Sets its alternative text, wherever it is by now. */
  readonly describe: (alternative: string) => void;
}

export interface MissingAlternative extends PlacedPicture {
  /** Name of the file. */
  readonly name: string;
  /** Whether the picture is still in the text, without an alternative text. */
  readonly isMissing: () => boolean;
}

/** With what tells it from others of the same address. */
export type Listed = MissingAlternative & { readonly key: number };

interface Props {
  readonly pictures: readonly Listed[];
  readonly onAnswer: (picture: Listed) => void;
  readonly onLeave: (picture: Listed) => void;
}

export function MissingAlternatives({ pictures, onAnswer, onLeave }: Props): ReactNode {
  const t = useText();
  return (
    // there from the beginning: what is put into it is read out
    <div role="status" className={styles['missing']}>
      {pictures.map((picture) => (
        <p key={picture.key}>
          <span>{t('picture.missing', { name: picture.name })}</span>
          <Button onClick={() => onAnswer(picture)}>{t('picture.describe')}</Button>
          <IconButton icon={X} label={t('picture.leave', { name: picture.name })} onClick={() => onLeave(picture)} />
        </p>
      ))}
    </div>
  );
}
