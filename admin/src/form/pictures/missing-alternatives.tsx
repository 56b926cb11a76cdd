/** Requests the alternative texts of pictures that were inserted without one, without interrupting the user. */
import { type ReactNode, useRef, useState } from 'react';
import { useText } from '../../language/language.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { X } from '../../ui/icons.ts';
import styles from './pictures.module.css';

/** A picture at one position of a text. Other uses of the same picture have texts of their own. */
export interface PlacedPicture {
  readonly url: string;
  /** Sets the alternative text, even after the picture has moved. */
  readonly describe: (alternative: string) => void;
}

export interface MissingAlternative extends PlacedPicture {
  /** The name of the file. */
  readonly name: string;
  /** Whether the picture is still in the text, without an alternative text. */
  readonly isMissing: () => boolean;
}

/** The key distinguishes uses of the same picture. */
export type Listed = MissingAlternative & { readonly key: number };

interface Props {
  readonly pictures: readonly Listed[];
  readonly onAnswer: (picture: Listed) => void;
  readonly onLeave: (picture: Listed) => void;
}

export function MissingAlternatives({ pictures, onAnswer, onLeave }: Props): ReactNode {
  const t = useText();
  return (
    // Always rendered, so that screen readers announce changes.
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

interface Described extends PlacedPicture {
  /** The current alternative text. */
  readonly text: string;
  /** The entry of the list for which the dialog is open. */
  readonly entry?: Listed;
}

interface MissingAlternativesState {
  readonly missing: readonly Listed[];
  readonly describing: Described | undefined;
  readonly ask: (pictures: readonly MissingAlternative[]) => void;
  /** Opens the dialog for an entry of the list. */
  readonly answer: (picture: Listed) => void;
  /** Opens the dialog for any picture. */
  readonly describe: (picture: Described) => void;
  readonly leave: (picture: Listed) => void;
  /** Has to be called when the dialog is closed. */
  readonly closed: () => void;
}

export function useMissingAlternatives(): MissingAlternativesState {
  const [missing, setMissing] = useState<readonly Listed[]>([]);
  const [describing, setDescribing] = useState<Described>();
  const count = useRef(0);
  return {
    missing,
    describing,
    ask: (pictures) => {
      const listed = pictures.map((picture) => {
        count.current += 1;
        return { ...picture, key: count.current };
      });
      if (listed.length > 0) setMissing((before) => [...before, ...listed]);
    },
    answer: (entry) => setDescribing({ ...entry, text: '', entry }),
    describe: setDescribing,
    leave: (picture) => setMissing((before) => before.filter((one) => one !== picture)),
    closed: () => {
      setMissing((before) => before.filter((one) => one !== describing?.entry && one.isMissing()));
      setDescribing(undefined);
    },
  };
}
