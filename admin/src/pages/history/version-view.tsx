/** A version beside the present draft or another version, with what can be restored. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer, RecordedVersion } from '../../../contract/documents.ts';
import { RefusedError } from '../../data/client.ts';
import { type Difference, differences } from '../../form/values/differences.ts';
import { publishedWithCounts, withCounts } from '../../form/values/links.ts';
import type { Values } from '../../form/values/model.ts';
import { whenText } from '../../language/date-format.ts';
import { useLocale, useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { EmptyState, Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { Check, CircleAlert, RotateCcw } from '../../ui/icons.ts';
import { Select } from '../../ui/input.tsx';
import { ComparedLater } from '../document/compared-later.tsx';
import { PUBLISHED, versionQuery } from './data.ts';
import styles from './history.module.css';
import { RestoreDialog } from './restore-dialog.tsx';
import { authorText, isReplacedExact, reasonText, type SharedMinutes, versionText } from './texts.ts';

interface Props {
  readonly schema: Schema;
  readonly model: ContentType;
  /** The document, whose draft is the present one. */
  readonly server: DocumentAnswer;
  /** The id of the document in requests. */
  readonly documentId: string;
  readonly versions: readonly RecordedVersion[];
  readonly minutes: SharedMinutes;
  /** The ids of the compared versions; undefined: the draft. */
  readonly chosen: string;
  readonly against: string | undefined;
}

export function VersionView(props: Props): ReactNode {
  const { schema, model, server, documentId, versions, minutes, chosen, against } = props;
  const t = useText();
  const locale = useLocale();
  const navigate = useNavigate({ from: '/content/$uid/$documentId/history' });
  const recorded = useRecorded(model.uid, documentId, chosen);
  const other = useRecorded(model.uid, documentId, against);
  /** The attribute to restore; null for the whole version. */
  const [restoring, setRestoring] = useState<string | null>();
  const valuesOf = useMemo(() => {
    const draft = server.draft && withCounts(schema, model, server.draft, server);
    const published = publishedWithCounts(schema, model, server);
    return (id: string | undefined, found: Values | undefined): Values | null | undefined =>
      id === undefined ? draft : id === PUBLISHED ? published : found;
  }, [schema, model, server]);
  const before = valuesOf(chosen, recorded.data?.values);
  const after = valuesOf(against, other.data?.values);
  const found = useMemo(
    () => (before && after ? differences(schema, model, after, before, 'shown') : undefined),
    [schema, model, before, after],
  );
  const headOf = (id: string | undefined, version: RecordedVersion | undefined): string => {
    if (version) return versionText(t, model, version, minutes, locale);
    if (id === PUBLISHED) return t('history.now.published');
    return t(model.draftAndPublish ? 'history.now.draft' : 'history.now.only');
  };
  const error = recorded.error ?? other.error;
  if (error) {
    const isGone = error instanceof RefusedError && error.status === 404;
    return <EmptyState icon={CircleAlert} title={isGone ? t('history.gone') : failureText(t, error)} />;
  }
  const version = recorded.data;
  const mayRestore = version !== undefined && server.may.update;
  const isAgainstDraft = against === undefined;
  const restorable = (difference: Difference): boolean =>
    model.attributes.some(({ name, writable }) => name === difference.path[0] && writable);
  const isFirstOf = (difference: Difference): boolean =>
    found?.find(({ path }) => path[0] === difference.path[0]) === difference;
  const topLabel = (name: string): string => model.attributes.find((one) => one.name === name)?.label ?? name;
  const options = [
    { value: '', label: headOf(undefined, undefined) },
    ...(server.published && chosen !== PUBLISHED ? [{ value: PUBLISHED, label: t('history.now.published') }] : []),
    ...versions
      .filter(({ id }) => id !== chosen)
      .map((one) => ({ value: one.id, label: versionText(t, model, one, minutes, locale) })),
  ];
  return (
    <>
      <header className={styles['versionHead']}>
        <div>
          <h2>{headOf(chosen, version)}</h2>
          {version && (
            <p>
              {authorText(t, version.savedBy)}
              {' · '}
              {reasonText(t, version)}
              {version.replacedAt !== null &&
                ` (${whenText('moment', version.replacedAt, locale, isReplacedExact(version, minutes))}, ${authorText(t, version.replacedBy)})`}
            </p>
          )}
        </div>
        {mayRestore && (
          <Button look="primary" icon={RotateCcw} onClick={() => setRestoring(null)}>
            {t('history.restore')}
          </Button>
        )}
      </header>
      <div className={styles['against']}>
        <span id="history-against">{t('history.against')}</span>
        <Select
          aria-labelledby="history-against"
          value={against ?? ''}
          options={options}
          onValue={(value) =>
            void navigate({
              to: '.',
              search: (search) => ({ ...search, against: value === '' ? undefined : value }),
              replace: true,
            })
          }
        />
      </div>
      {found === undefined && <Skeleton height="120px" />}
      {found?.length === 0 && <EmptyState icon={Check} title={t('history.same')} />}
      {found && found.length > 0 && (
        <ComparedLater
          schema={schema}
          model={model}
          locale={server.locale}
          differences={found}
          heads={[headOf(chosen, version), headOf(against, other.data)]}
          {...(mayRestore &&
            isAgainstDraft && {
              action: (difference: Difference) =>
                restorable(difference) &&
                isFirstOf(difference) && (
                  <Button
                    look="quiet"
                    icon={RotateCcw}
                    aria-label={t('history.restore.fieldOf', { field: topLabel(String(difference.path[0])) })}
                    onClick={() => setRestoring(String(difference.path[0]))}
                  >
                    {t('history.restore.field')}
                  </Button>
                ),
            })}
        />
      )}
      {version && restoring !== undefined && (
        <RestoreDialog
          schema={schema}
          model={model}
          server={server}
          documentId={documentId}
          version={version}
          field={restoring === null ? undefined : { name: restoring, label: topLabel(restoring) }}
          onClose={() => setRestoring(undefined)}
        />
      )}
    </>
  );
}

/** A recorded version; nothing for the draft and the published version, which the document contains. */
function useRecorded(uid: string, documentId: string, id: string | undefined) {
  return useQuery({
    ...versionQuery(uid, documentId, id ?? ''),
    enabled: id !== undefined && id !== PUBLISHED,
  });
}
