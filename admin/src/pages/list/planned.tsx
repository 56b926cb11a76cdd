/** Marks documents of a list that are scheduled or in a release. */
import { useQueries } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useMemo } from 'react';
import type { ListPage } from '../../../contract/lists.ts';
import type { Planned } from '../../../contract/schedule.ts';
import type { ContentType } from '../../../contract/schema.ts';
import { splitByRequest } from '../../data/deferred.ts';
import { plannedQuery } from '../../data/schedule.ts';
import { useLocale, useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { Clock } from '../../ui/icons.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import { momentText } from '../schedule/when-text.ts';
import styles from './list.module.css';

type ByDocument = ReadonlyMap<string, readonly Planned[]>;

const PlannedContext = createContext<ByDocument>(new Map());

interface Props {
  readonly type: ContentType;
  /** The locale of the list; undefined if the type has no locales. */
  readonly locale: string | undefined;
  readonly pages: readonly ListPage[];
  readonly children: ReactNode;
}

/** Loads what is planned for the documents of visible pages, after these. */
export function PlannedProvider({ type, locale, pages, children }: Props): ReactNode {
  const requests = type.draftAndPublish
    ? pages.flatMap(({ data }) => splitByRequest({ documentIds: new Set(data.map(({ documentId }) => documentId)) }))
    : [];
  const planned = useQueries({
    queries: requests.map((documentIds) => plannedQuery(type.uid, documentIds)),
    combine: (results) => results.flatMap(({ data = [] }) => data),
  });
  const byDocument = useMemo(() => {
    const isHere = ({ locale: of }: Planned) => locale === undefined || !Array.isArray(of) || of.includes(locale);
    return Map.groupBy(planned.filter(isHere), ({ documentId }) => documentId);
  }, [planned, locale]);
  return <PlannedContext value={byDocument}>{children}</PlannedContext>;
}

/** The name of a document with a clock if something is planned for it. */
export function WithPlanned({
  documentId,
  children,
}: {
  readonly documentId: string;
  readonly children: ReactNode;
}): ReactNode {
  const t = useText();
  const locale = useLocale();
  const planned = use(PlannedContext).get(documentId);
  if (!planned) return children;
  const text = planned.map((one) => plannedText(t, one, locale)).join('\n');
  return (
    <span className={styles['planned']}>
      <span>{children}</span>
      <Tooltip text={text}>
        <span role="img" aria-label={text}>
          <Clock size={13} />
        </span>
      </Tooltip>
    </span>
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
