/** The focal point of a picture, which stays visible when the picture is cropped. */
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import type { FocalPoint, LibraryFile } from '../../contract/media.ts';
import { useText } from '../language/language.tsx';
import styles from './focal-point.module.css';
import { pictureOf } from './kinds.ts';

interface Props {
  readonly file: LibraryFile;
  /** Undefined if the point is read-only. */
  readonly onPoint: ((point: FocalPoint) => void) | undefined;
}

/** The maximum width of the picture in CSS pixels. */
const WIDTH = 720;
const MIDDLE: FocalPoint = { x: 50, y: 50 };

export function FocalPicture({ file, onPoint }: Props): ReactNode {
  const t = useText();
  const picture = useRef<HTMLImageElement>(null);
  const [held, setHeld] = useState<FocalPoint>();
  const point = held ?? file.focalPoint ?? undefined;
  const address = pictureOf(file, WIDTH * (globalThis.devicePixelRatio || 1));
  const at = ({ clientX, clientY }: PointerEvent): FocalPoint => {
    const box = picture.current!.getBoundingClientRect();
    return {
      x: percent((clientX - box.left) / box.width),
      y: percent((clientY - box.top) / box.height),
    };
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.shiftKey ? 10 : 1;
    const [x, y] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[
      event.key
    ] ?? [0, 0];
    if (x === 0 && y === 0) return;
    event.preventDefault();
    const from = point ?? MIDDLE;
    onPoint?.({ x: percent((from.x + x!) / 100), y: percent((from.y + y!) / 100) });
  };
  const text = point ? t('media.focal.at', { x: point.x, y: point.y }) : t('media.focal.hint');
  return (
    <div className={styles['frame']}>
      <img
        ref={picture}
        src={address}
        alt={file.alternativeText ?? ''}
        draggable={false}
        className={styles['picture']}
      />
      {onPoint && (
        <div
          role="slider"
          tabIndex={0}
          aria-label={t('media.focal')}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={point?.x ?? MIDDLE.x}
          aria-valuetext={text}
          title={text}
          className={styles['surface']}
          onKeyDown={onKeyDown}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            setHeld(at(event));
          }}
          onPointerMove={(event) => held && setHeld(at(event))}
          onPointerUp={(event) => {
            if (!held) return;
            setHeld(undefined);
            onPoint(at(event));
          }}
          onPointerCancel={() => setHeld(undefined)}
        >
          {point && (
            <span
              className={styles['point']}
              style={{ insetInlineStart: 'auto', left: `${point.x}%`, top: `${point.y}%` }}
            />
          )}
        </div>
      )}
    </div>
  );
}

/** A fraction in percent, rounded to a tenth. */
const percent = (part: number): number => Math.round(Math.max(0, Math.min(1, part)) * 1000) / 10;
