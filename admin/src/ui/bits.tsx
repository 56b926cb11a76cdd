/** Small components: state marks, chips, avatars, placeholders and empty states. */

import type { CSSProperties, ReactNode } from 'react';
import { documentName, type Named } from '../language/document-name.ts';
import { useText } from '../language/language.tsx';
import styles from './bits.module.css';
import { classes } from './classes.ts';
import type { Icon } from './icon.tsx';
import { X } from './icons.ts';

export type ContentState = 'draft' | 'modified' | 'published';

interface StateMarkProps {
  readonly state: ContentState;
  /** Text beside the mark. Without it, only screen readers get the state. */
  readonly label?: ReactNode;
  readonly small?: boolean;
}

/**
 * The state of a document by shape and colour: a ring is a draft, a full circle is published, a half circle is
 * published with a newer draft.
 */
export function StateMark({ state, label, small }: StateMarkProps): ReactNode {
  const t = useText();
  const name = t(`state.${state}`);
  return (
    <span className={styles['state']}>
      <span
        className={classes(styles['mark'], styles[state], small && styles['small'])}
        {...(label === undefined ? { role: 'img', 'aria-label': name, title: name } : {})}
      />
      {label}
    </span>
  );
}

interface ChipProps {
  readonly children: ReactNode;
  readonly onPress?: () => void;
  readonly onRemove?: () => void;
  /** The label of the remove button. */
  readonly removeLabel?: string;
  /** `accent`: a filter; `dashed`: a button that adds one. */
  readonly look?: 'plain' | 'accent' | 'dashed';
}

export function Chip({ children, onPress, onRemove, removeLabel, look = 'plain' }: ChipProps): ReactNode {
  return (
    <span className={classes(styles['chip'], styles[look])}>
      {onPress ? (
        <button type="button" onClick={onPress}>
          {children}
        </button>
      ) : (
        <span>{children}</span>
      )}
      {onRemove && (
        <button type="button" className={styles['remove']} aria-label={removeLabel} onClick={onRemove}>
          <X size={12} />
        </button>
      )}
    </span>
  );
}

/** Two initials on a colour that depends on the name. The name has to stand beside it or in a label around it. */
export function Avatar({ name }: { readonly name: string }): ReactNode {
  const words = name.split(/[\s@.]+/).filter(Boolean);
  const letters = [...(words[0] ?? '?')]
    .slice(0, 1)
    .concat([...(words[1] ?? '')].slice(0, 1))
    .join('');
  const hue = [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360, 7);
  return (
    <span className={styles['avatar']} style={{ '--hue': hue } as CSSProperties} aria-hidden="true">
      {letters.toUpperCase()}
    </span>
  );
}

/** A placeholder for text that is loading. */
export function Skeleton({
  width = '100%',
  height = '1em',
}: {
  readonly width?: string;
  readonly height?: string;
}): ReactNode {
  return <span className={styles['skeleton']} style={{ inlineSize: width, blockSize: height }} aria-hidden="true" />;
}

interface EmptyStateProps {
  readonly icon?: Icon;
  readonly title: string;
  /** What the place is for, or how to fill it, in one sentence. */
  readonly text?: ReactNode;
  /** The main action. */
  readonly action?: ReactNode;
  readonly level?: 1 | 2;
}

export function EmptyState({ icon: Icon, title, text, action, level = 2 }: EmptyStateProps): ReactNode {
  const Heading = `h${level}` as const;
  return (
    <div className={classes(styles['empty'], level === 1 && styles['alone'])}>
      {Icon && <Icon size={28} className={styles['emptyIcon']} />}
      <Heading className={styles['emptyTitle']}>{title}</Heading>
      {text !== undefined && <p className={styles['emptyText']}>{text}</p>}
      {action !== undefined && <div className={styles['emptyAction']}>{action}</div>}
    </div>
  );
}

export function DocumentName({ documentId, label }: Named): ReactNode {
  const t = useText();
  return label ?? <span className={styles['unnamed']}>{documentName(t, { documentId, label })}</span>;
}
