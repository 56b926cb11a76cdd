/** The color and the name of a stage of review. */
import type { CSSProperties, ReactNode } from 'react';
import styles from './bits.module.css';

export function StageMark({ name, color }: { readonly name: string; readonly color: string }): ReactNode {
  return (
    <span className={styles['stage']}>
      <span className={styles['stageColor']} style={{ '--stage': color } as CSSProperties} aria-hidden="true" />
      <span dir="auto">{name}</span>
    </span>
  );
}
