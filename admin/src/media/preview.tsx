/** The preview of a file: its picture, or the icon of its kind. */
import { type CSSProperties, type ReactNode, useState } from 'react';
import type { MediaFile } from '../../contract/media.ts';
import { classes } from '../ui/classes.ts';
import type { Icon } from '../ui/icon.tsx';
import { File, FileText, Image, Video, Volume2 } from '../ui/icons.ts';
import { useCurrent } from './current.ts';
import { kindOf, pictureOf } from './kinds.ts';
import styles from './preview.module.css';

interface Props {
  readonly file: Pick<MediaFile, 'mime' | 'url' | 'width' | 'formats' | 'ext' | 'focalPoint' | 'alternativeText'> &
    Partial<Pick<MediaFile, 'id' | 'updatedAt'>>;
  /** The width in CSS pixels. */
  readonly width: number;
  /** `cover` fills the space around the focal point; `contain` shows the whole picture. */
  readonly fit?: 'cover' | 'contain';
  /** Shows only an icon for files that are no pictures. */
  readonly small?: boolean;
  /** Whether screen readers get the alternative text; otherwise the name has to stand beside the preview. */
  readonly told?: boolean;
}

/** Fills its container. */
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

/** The icon of the kind of a file. */
export function signOf(file: Pick<MediaFile, 'mime'>): Icon {
  const kind = kindOf(file);
  if (kind === 'image') return Image;
  if (kind === 'video') return Video;
  if (kind === 'audio') return Volume2;
  return /^text\/|pdf/.test(file.mime) ? FileText : File;
}
