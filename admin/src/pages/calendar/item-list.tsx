/** Scheduled actions as rows: the document, what happens when, and what one can do about it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ScheduledItem } from '../../../contract/schedule.ts';
import type { Schema } from '../../../contract/schema.ts';
import { schemaQuery } from '../../data/schema.ts';
import { permits, useSession } from '../../data/session.ts';
import { documentName } from '../../language/document-name.ts';
import { useLocale, useText } from '../../language/language.tsx';
import { typeLabel } from '../../language/type-name.ts';
import { DocumentName } from '../../ui/bits.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { CircleAlert, CircleCheck, Clock, X } from '../../ui/icons.ts';
import { failureOf, localesText, nextStep } from '../schedule/scheduled-items.tsx';
import { useItemActions } from '../schedule/use-item-actions.ts';
import { dayText, timeText } from '../schedule/when-text.ts';
import styles from './calendar.module.css';

const ICONS = { waiting: Clock, done: CircleCheck, failed: CircleAlert, cancelled: X, gone: X } as const;

/** The state of an item as an icon. */
export function ItemMark({ item: { state } }: { readonly item: ScheduledItem }): ReactNode {
  const t = useText();
  const Icon = ICONS[state];
  return (
    <span role="img" aria-label={t(`schedule.state.${state}`)} className={styles['mark']} data-state={state}>
      <Icon size={13} />
    </span>
  );
}

interface Props {
  readonly items: readonly ScheduledItem[];
  readonly label: string;
  /** Whether rows name the day as well as the time. */
  readonly tellsDay?: boolean;
}

export function ItemList({ items, label, tellsDay = false }: Props): ReactNode {
  const { data: schema } = useQuery(schemaQuery);
  return (
    <ul className={styles['rows']} aria-label={label}>
      {schema && items.map((item) => <Row key={item.id} schema={schema} item={item} tellsDay={tellsDay} />)}
    </ul>
  );
}

interface RowProps {
  readonly schema: Schema;
  readonly item: ScheduledItem;
  readonly tellsDay: boolean;
}

function Row({ schema, item, tellsDay }: RowProps): ReactNode {
  const t = useText();
  const locale = useLocale();
  const { busy, cancel, retry } = useItemActions(item);
  const { contentType, documentId, action, at, state, label, by } = item;
  const type = schema.contentTypes.find(({ uid }) => uid === contentType);
  const isSingle = type?.kind === 'singleType';
  const [code] = Array.isArray(item.locale) ? (item.locale as string[]) : [];
  const isRun = action === 'run';
  const { rights } = useSession();
  const link = isRun
    ? { to: '/releases/$releaseId', params: { releaseId: documentId } }
    : {
        to: '/content/$uid/$documentId',
        params: { uid: contentType, documentId: isSingle ? 'single' : documentId },
        search: code === undefined ? {} : { locale: code },
      };
  const name = documentName(t, { documentId, label: label ?? (isSingle ? type.displayName : null) });
  const about = [
    isRun ? t('releases.release') : type && typeLabel(t, type),
    localesText(t, schema, item),
    by.name && t('schedule.by', { name: by.name }),
  ].filter(Boolean);
  const isGone = state === 'gone';
  const mayChange = isRun ? permits(rights, 'plugin::content-releases.publish') : (type?.actions.publish ?? false);
  return (
    <li className={styles['row']}>
      <ItemMark item={item} />
      <span className={styles['time']}>{timeText(at, locale)}</span>
      <span className={styles['main']}>
        {isGone ? (
          <span className={styles['name']}>{documentId}</span>
        ) : (
          <Link {...(link as unknown as { to: '/' })} className={styles['name']}>
            <span dir="auto">
              <DocumentName documentId={documentId} label={label ?? (isSingle ? type.displayName : null)} />
            </span>
          </Link>
        )}
        <span className={styles['about']}>
          {t(`schedule.${state === 'waiting' ? 'coming' : state}.${action}`)}
          {tellsDay && ` · ${dayText(at, locale)}`}
          {about.length > 0 && ` · ${about.join(' · ')}`}
        </span>
        {state === 'failed' && <span className={styles['reason']}>{failureOf(t, schema, item)}</span>}
        {state === 'failed' && mayChange && <span className={styles['about']}>{nextStep(t, item)}</span>}
        {isGone && <span className={styles['about']}>{t('schedule.gone.text')}</span>}
      </span>
      {mayChange && (state === 'waiting' || state === 'failed') && (
        <span className={styles['tools']}>
          {state === 'failed' && (
            <ButtonLink {...(link as unknown as { to: '/' })} aria-label={t('schedule.show.of', { name })}>
              {t('schedule.show')}
            </ButtonLink>
          )}
          {state === 'failed' && (
            <Button busy={busy} onClick={retry} aria-label={t('schedule.retry.of', { name })}>
              {t('schedule.retry')}
            </Button>
          )}
          <Button
            look="quiet"
            busy={busy}
            onClick={cancel}
            aria-label={t(state === 'failed' ? 'schedule.dismiss.of' : 'schedule.cancel.of', { name })}
          >
            {t(state === 'failed' ? 'schedule.dismiss' : 'schedule.cancel')}
          </Button>
        </span>
      )}
    </li>
  );
}
