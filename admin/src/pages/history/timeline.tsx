/** The versions of a document by day and person, below those of now. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ContentType } from '../../../contract/contract.ts';
import type { DocumentAnswer, RecordedVersion } from '../../../contract/documents.ts';
import { dayText } from '../../language/date-format.ts';
import { Moment, useLocale, useText } from '../../language/language.tsx';
import { StateMark } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { PUBLISHED } from './data.ts';
import styles from './history.module.css';
import { authorText, eventOf, reasonText, replacedText, type SharedMinutes, versionText } from './texts.ts';

interface Props {
  readonly model: ContentType;
  readonly server: DocumentAnswer;
  /** Undefined while they are loading. */
  readonly versions: readonly RecordedVersion[] | undefined;
  readonly minutes: SharedMinutes;
  /** The id of the chosen version. */
  readonly chosen: string | undefined;
  /** Loads earlier versions; undefined if there are none. */
  readonly onMore: (() => void) | undefined;
  readonly isLoadingMore: boolean;
}

export function Timeline({ model, server, versions, minutes, chosen, onMore, isLoadingMore }: Props): ReactNode {
  const t = useText();
  const locale = useLocale();
  const days = runsOf(versions ?? [], (version) => dayText(eventOf(version).at, locale));
  return (
    <nav className={styles['timeline']} aria-label={t('history.versions')}>
      <Present model={model} server={server} chosen={chosen} />
      {days.map(([day, ofDay]) => (
        <section key={ofDay[0]!.id}>
          <h2>{day}</h2>
          {runsOf(ofDay, (version) => authorText(t, eventOf(version).by)).map(([person, ofPerson]) => (
            <section key={ofPerson[0]!.id}>
              <h3>{person}</h3>
              <ul>
                {ofPerson.map((version) => (
                  <li key={version.id}>
                    <Entry model={model} version={version} minutes={minutes} isChosen={version.id === chosen} />
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </section>
      ))}
      {versions?.length === 0 && <p className={styles['none']}>{t('history.empty')}</p>}
      {onMore && (
        <Button busy={isLoadingMore} onClick={onMore}>
          {t('history.more')}
        </Button>
      )}
    </nav>
  );
}

/** Neighbours with the same name, together. */
function runsOf<T>(items: readonly T[], nameOf: (item: T) => string): (readonly [string, readonly T[]])[] {
  const runs: [string, T[]][] = [];
  for (const item of items) {
    const name = nameOf(item);
    const last = runs.at(-1);
    if (last?.[0] === name) last[1].push(item);
    else runs.push([name, [item]]);
  }
  return runs;
}

function Present({ model, server, chosen }: Pick<Props, 'model' | 'server' | 'chosen'>): ReactNode {
  const t = useText();
  const { draft, published, updatedBy, isThroughApi } = server;
  const savedAt = draft?.['updatedAt'];
  const publishedAt = published?.['publishedAt'];
  const by = isThroughApi ? t('throughApi') : updatedBy?.name;
  return (
    <section>
      <h2>{t('history.now')}</h2>
      <ul>
        {draft && (
          <li className={styles['present']}>
            {model.draftAndPublish ? (
              <StateMark state="draft" label={t('history.now.draft')} small />
            ) : (
              t('history.now.only')
            )}
            <small>
              {typeof savedAt === 'string' && <Moment at={savedAt} />}
              {by !== undefined && ` · ${by}`}
            </small>
          </li>
        )}
        {published && (
          <li>
            <EntryLink id={PUBLISHED} isChosen={chosen === PUBLISHED}>
              <StateMark state="published" label={t('history.now.published')} small />
              <small>{typeof publishedAt === 'string' && <Moment at={publishedAt} />}</small>
            </EntryLink>
          </li>
        )}
      </ul>
    </section>
  );
}

interface EntryProps extends Pick<Props, 'model' | 'minutes'> {
  readonly version: RecordedVersion;
  readonly isChosen: boolean;
}

function Entry({ model, version, minutes, isChosen }: EntryProps): ReactNode {
  const t = useText();
  const locale = useLocale();
  const { id, status, savedBy } = version;
  const reason = `${replacedText(version, minutes, locale)} · ${reasonText(t, version)}`;
  return (
    <EntryLink id={id} isChosen={isChosen}>
      {model.draftAndPublish ? <StateMark state={status} label={reason} small /> : reason}
      <small>
        {versionText(t, model, version, minutes, locale)}
        {version.replacedAt !== null && ` · ${authorText(t, savedBy)}`}
      </small>
    </EntryLink>
  );
}

function EntryLink({
  id,
  isChosen,
  children,
}: {
  readonly id: string;
  readonly isChosen: boolean;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <Link
      from="/content/$uid/$documentId/history"
      to="."
      search={(before) => ({ ...before, version: id, against: undefined })}
      className={styles['entry']}
      activeProps={{}}
      {...(isChosen && { 'aria-current': 'true' })}
    >
      {children}
    </Link>
  );
}
