/** A QR code, made on this device: what it holds is a secret. */
import { type ReactNode, useMemo } from 'react';
import { encode } from 'uqr';
import styles from './account.module.css';

export function QrCode({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const { size, path } = useMemo(() => {
    const { size, data } = encode(text, { border: 0 });
    const squares = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : [])));
    return { size, path: squares.join('') };
  }, [text]);
  return (
    <div className={styles['picture']}>
      <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
        <path d={path} fill="currentColor" />
      </svg>
    </div>
  );
}
