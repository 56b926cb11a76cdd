/** The state of a release by shape and colour. */
import type { ReactNode } from 'react';
import type { Release } from '../../../contract/releases.ts';
import { useText } from '../../language/language.tsx';
import { classes } from '../../ui/classes.ts';
import { CircleAlert, CircleCheck, Clock, Undo2 } from '../../ui/icons.ts';
import styles from './releases.module.css';

const ICONS = {
  ...{ ready: Clock, empty: Clock, blocked: CircleAlert, failed: CircleAlert },
  ...{ done: CircleCheck, reverted: Undo2 },
} as const;

export function ReleaseStatus({ status }: Pick<Release, 'status'>): ReactNode {
  const t = useText();
  const Icon = ICONS[status];
  return (
    <span className={classes(styles['status'], styles[status])}>
      <Icon size={15} />
      {t(`releases.status.${status}`)}
    </span>
  );
}
