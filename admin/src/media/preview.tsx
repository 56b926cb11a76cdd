/** What a file looks like: its picture, or the sign of its kind. */
import { type CSSProperties, type ReactNode, useState } from 'react';
import type { MediaFile } from '../../contract/media.ts';
import { classes } from '../ui/classes.ts';
import type { Icon } from '../ui/icon.tsx';
import { File, FileText, Video, Volume2 } from '../ui/icons.ts';
import { useCurrent } from './current.ts';
import { kindOf, pictureOf } from './kinds.ts';
import styles from './preview.module.css';

interface Props {
  readonly file: Pick<MediaFile, 'mime' | 'url' | 'width' | 'formats' | 'ext' | 'focalPoint' | 'alternativeText'> &
    Partial<Pick<MediaFile, 'id' | 'updatedAt'>>;
  /** CSS pixels that it is wide. */
  readonly width: number;
  /** `cover` fills its place around the focal point; `contain` shows all of it. */
  readonly fit?: 'cover' | 'contain';
  /** Where there is no room for more than a sign. */
  readonly small?: boolean;
  /** Whether it is told as its alternative text; else its name has to stand beside it. */
  readonly told?: boolean;
}

/** Fills the place that it is put into. */
export function FilePreview({ file: read, width, fit = 'cover', told = false, small = false }: Props): ReactNode {
  const file = useCurrent(read);
  const [broken, setBroken] = useState<string>();
  const address = pictureOf(file, width * (globalThis.devicePixelRatio || 1));
  if (address === undefined || broken === address) return <Sign file={file} small={small} />;
  const { focalPoint } = file;
  return (
    <img
      src={address}
      alt={told ? (file.alternativeText ?? '') : ''}
      loading="lazy"
      decoding="async"
      draggable={false}
      className={classes(styles['picture'], styles[fit])}
      style={focalPoint ? ({ objectPosition: `${focalPoint.x}% ${focalPoint.y}%` } as CSSProperties) : undefined}
      onError={() => setBroken(address)}
    />
  );
}

function Sign({ file, small }: Pick<Props, 'file'> & { readonly small: boolean }): ReactNode {
  const Shape = signOf(file);
  return (
    <span className={styles['sign']}>
      <Shape size={small ? 16 : 24} />
      {!small && file.ext && <span className={styles['ext']}>{file.ext.replace(/^\./, '')}</span>}
    </span>
  );
}

function signOf(file: Pick<MediaFile, 'mime'>): Icon {
  const kind = kindOf(file);
  if (kind === 'video') return Video;
  if (kind === 'audio') return Volume2;
  return /^text\/|pdf/.test(file.mime) ? FileText : File;
}
