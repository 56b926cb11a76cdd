/** How the database answered a request, in words, and the indexes that would make it faster. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { ExplainedRead, Finding } from '../../../contract/explore.ts';
import { request } from '../../data/client.ts';
import { useLocale, useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { failureText } from '../../language/refusal-text.ts';
import { Skeleton } from '../../ui/bits.tsx';
import { Button } from '../../ui/button.tsx';
import { CircleAlert, CircleCheck, Database, Plus } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import { millisecondsText } from './answer.tsx';
import styles from './explore.module.css';

interface Props {
  /** Null while the request was not explained. */
  readonly reads: readonly ExplainedRead[] | null;
  /** Whether the caller may not send the request. */
  readonly isRefused: boolean;
  readonly isBusy: boolean;
  /** Explains the request again. */
  readonly onAgain: () => Promise<void>;
}

export function Explained({ reads, isRefused, isBusy, onAgain }: Props): ReactNode {
  const t = useText();
  /** The times before an index was created, by statement. */
  const [before, setBefore] = useState<ReadonlyMap<string, number>>(new Map());
  if (!reads) return isBusy ? <Skeleton width="60%" /> : <p className={styles['quiet']}>{t('explore.explain.not')}</p>;
  if (reads.length === 0) {
    return <p className={styles['quiet']}>{t(isRefused ? 'explore.explain.refused' : 'explore.explain.none')}</p>;
  }
  return (
    <div className={styles['stack']}>
      {reads.map((read, at) => {
        const statement = read.sql.join('\n');
        return (
          <Read
            // biome-ignore lint/suspicious/noArrayIndexKey: reads have an order and no names
            key={at}
            read={read}
            title={reads.length > 1 ? t('explore.explain.read', { number: at + 1, count: reads.length }) : undefined}
            before={before.get(statement)}
            onCreated={() => {
              if (read.milliseconds !== null) setBefore(new Map(before).set(statement, read.milliseconds));
              return onAgain();
            }}
          />
        );
      })}
      {reads.every(({ findings }) => findings.length === 0) && (
        <p className={styles['good']}>
          <CircleCheck size={15} />
          {t('explore.explain.nothing')}
        </p>
      )}
    </div>
  );
}

interface ReadProps {
  readonly read: ExplainedRead;
  /** Undefined for the only one. */
  readonly title: string | undefined;
  /** Milliseconds before an index was created. */
  readonly before: number | undefined;
  readonly onCreated: () => Promise<void>;
}

function Read({ read, title, before, onCreated }: ReadProps): ReactNode {
  const t = useText();
  const locale = useLocale();
  const { milliseconds, runs, uses, scans, sorts, findings, rows, total } = read;
  const time = milliseconds === null ? '' : millisecondsText(milliseconds, locale);
  const lines = [
    milliseconds === null ? t('explore.explain.stopped') : t('explore.explain.time', { time, count: runs }),
    ...(before === undefined ? [] : [t('explore.explain.before', { time: millisecondsText(before, locale) })]),
    ...(rows === null ? [] : [t('explore.explain.rows', { count: rows })]),
    ...(total === null ? [] : [t('explore.explain.total', { count: total })]),
    ...uses.map(({ table, index }) => t('explore.explain.uses', { table, index })),
    ...distinct(scans).map(({ table, rows: read }) =>
      read === null ? t('explore.explain.scans', { table }) : t('explore.explain.scansRows', { table, count: read }),
    ),
    ...distinct(sorts).map(({ table, rows: sorted }) =>
      sorted === null
        ? t('explore.explain.sorts', { table })
        : t('explore.explain.sortsRows', { table, count: sorted }),
    ),
  ];
  return (
    <div className={styles['read']}>
      {title !== undefined && <p className={styles['quiet']}>{title}</p>}
      <ul className={styles['sentences']}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {findings.length > 0 && (
        <ul className={styles['findings']}>
          {findings.map((finding) => (
            <Missing key={finding.text} finding={finding} onCreated={onCreated} />
          ))}
        </ul>
      )}
      <details className={styles['details']}>
        <summary>{t('explore.explain.sql')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long statements scroll with the keyboard */}
        <pre className={styles['code']} tabIndex={0} dir="ltr">
          {[...read.sql, ...read.parameters.map((line) => `-- ${line}`)].join('\n')}
        </pre>
      </details>
      <details className={styles['details']}>
        <summary>{t('explore.explain.plan')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long plans scroll with the keyboard */}
        <pre className={styles['code']} tabIndex={0} dir="ltr">
          {read.plan.join('\n')}
        </pre>
      </details>
    </div>
  );
}

/** One entry of each table. */
const distinct = (all: ExplainedRead['scans']): ExplainedRead['scans'] =>
  all.filter(({ table }, at) => all.findIndex((other) => other.table === table) === at);

interface MissingProps {
  readonly finding: Finding;
  readonly onCreated: () => Promise<void>;
}

function Missing({ finding, onCreated }: MissingProps): ReactNode {
  const t = useText();
  const locale = useLocale();
  const { show } = useToasts();
  const { index } = finding;
  const create = useMutation({
    mutationFn: async () => {
      const { name: _name, text: _text, ...body } = index!;
      const { data } = await request('POST explore/indexes', { body });
      await onCreated();
      return data;
    },
    onSuccess: ({ name, milliseconds }) =>
      show({ text: t('explore.index.created', { name, time: millisecondsText(milliseconds, locale) }) }),
    onError: (error) => show({ text: failureText(t, error), tone: 'danger', retry: () => create.mutate() }),
  });
  return (
    <li className={styles['finding']}>
      <p className={styles['reason']}>
        <CircleAlert size={15} />
        {findingText(t, finding)}
      </p>
      {index && (
        <div className={styles['index']}>
          <p>
            <Database size={15} />
            {t(index.search ? 'explore.index.search' : 'explore.index.missing', {
              table: index.table,
              columns: index.text,
            })}
            <code>{index.name}</code>
          </p>
          <Button icon={Plus} look="primary" busy={create.isPending} onClick={() => create.mutate()}>
            {t('explore.index.create')}
          </Button>
          {create.isPending && <p className={styles['quiet']}>{t('explore.index.creating')}</p>}
        </div>
      )}
    </li>
  );
}

/** A reason in the language of the reader; the server's sentence for one that the app does not know. */
function findingText(t: Text, { kind, names: all, table, rows: count, unused, text }: Finding): string {
  const names = all.join(', ');
  switch (kind) {
    case 'order':
      return t('explore.finding.order', { names, table, count });
    case 'filter':
      return t('explore.finding.filter', { names, table, count });
    case 'unused':
      return t('explore.finding.unused', { names, table, count, index: unused ?? '' });
    case 'total':
      return t('explore.finding.total', { count });
    case 'page':
      return t('explore.finding.page', { count });
    case 'order.found':
      return t('explore.finding.order.found', { names, table, count });
    case 'order.relation':
      return t('explore.finding.order.relation', { names, count });
    case 'order.long':
    case 'filter.long':
      return t('explore.finding.long', { names, table, count });
    case 'order.beyond':
    case 'filter.beyond':
      return t('explore.finding.beyond', { names, table, count });
    case 'filter.search':
      return t('explore.finding.search', { names, table, count });
    case 'filter.folded':
      return t('explore.finding.folded', { names, table, count });
    case 'filter.negation':
      return t('explore.finding.negation', { names, table, count });
    case 'filter.or':
      return t('explore.finding.or', { table, count });
    case 'filter.relation':
      return t('explore.finding.relation', { names, table, count });
    case 'filter.cohort':
      return t('explore.finding.cohort', { table, count });
    default:
      return text;
  }
}
