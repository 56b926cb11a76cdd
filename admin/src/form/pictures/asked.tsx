/** Asks for the alternative text of pictures that were put into a text without one. It interrupts no one who writes on. */
import type { ReactNode } from 'react';
import { useText } from '../../language/language.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { X } from '../../ui/icons.ts';
import styles from './pictures.module.css';

export interface AskedPicture {
  readonly url: string;
  readonly name: string;
}

interface Props {
  readonly pictures: readonly AskedPicture[];
  readonly onAnswer: (picture: AskedPicture) => void;
  readonly onLeave: (picture: AskedPicture) => void;
}

export function Asked({ pictures, onAnswer, onLeave }: Props): ReactNode {
  const t = useText();
  return (
    // there from the beginning: what is put into it is read out
    <div role="status" className={styles['asked']}>
      {pictures.map((picture) => (
        <p key={picture.url}>
          <span>{t('picture.missing', { name: picture.name })}</span>
          <Button onClick={() => onAnswer(picture)}>{t('picture.describe')}</Button>
          <IconButton icon={X} label={t('picture.leave', { name: picture.name })} onClick={() => onLeave(picture)} />
        </p>
      ))}
    </div>
  );
}
