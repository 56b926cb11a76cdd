/** A clock that says what is planned for a document. */
import type { ReactNode } from 'react';
import type { Planned } from '../../../contract/schedule.ts';
import { useLocale, useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { Clock } from '../../ui/icons.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import { momentText } from '../schedule/when-text.ts';
import styles from './list.module.css';

export function PlannedMark({ planned }: { readonly planned: readonly Planned[] }): ReactNode {
  const t = useText();
  const locale = useLocale();
  const text = planned.map((one) => plannedText(t, one, locale)).join('\n');
  return (
    <Tooltip text={text}>
      <span role="img" aria-label={text} className={styles['plan']}>
        <Clock size={13} />
      </span>
    </Tooltip>
  );
}

/** `Will be published Friday, 4 December, 09:00`. */
function plannedText(t: Text, { action, at, release }: Planned, locale: string): string {
  const moment = at === null ? undefined : momentText(t, at, locale);
  if (release === null) return t(`planned.${action}`, { moment: moment ?? '' });
  const { name } = release;
  return moment === undefined
    ? t(`planned.${action}.release`, { name })
    : t(`planned.${action}.releaseAt`, { name, moment });
}
