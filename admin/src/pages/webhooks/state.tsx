/** The state of a delivery by shape and colour. */
import type { ReactNode } from 'react';
import type { Webhook } from '../../../contract/webhooks.ts';
import { useText } from '../../language/language.tsx';
import { classes } from '../../ui/classes.ts';
import { CircleAlert, CircleCheck, Clock } from '../../ui/icons.ts';
import { stateKey } from './data.ts';
import styles from './webhooks.module.css';

const ICONS = { sent: CircleCheck, waiting: Clock, failed: CircleAlert } as const;

export function DeliveryStateMark({ of }: { readonly of: NonNullable<Webhook['last']> }): ReactNode {
  const t = useText();
  const look = of.state === 'waiting' && of.attempts > 0 ? 'again' : of.state;
  const Icon = ICONS[of.state];
  return (
    <span className={classes(styles['state'], styles[look])}>
      <Icon size={15} />
      {t(stateKey(of))}
    </span>
  );
}
