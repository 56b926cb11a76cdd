/**
 * Reports failures of bulk actions whose answers were not seen, because the tab or the browser was closed. They are
 * reported until a notice has been shown.
 */

import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import type { RefusedAction } from '../../../contract/lists.ts';
import { deleteDisplayed, markDisplayed, readUndisplayed } from '../../data/bulk-failures.ts';
import { schemaQuery } from '../../data/schema.ts';
import { useText } from '../../language/language.tsx';
import { typeLabel } from '../../language/type-name.ts';
import { useToasts } from '../../ui/toast.tsx';
import { type Refused, useRefused } from './bulk-failures.ts';

const Late = lazy(async () => ({ default: (await import('./bulk-failures-dialog.tsx')).RefusedDialog }));

export function ToldLater(): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const { data: schema } = useQuery(schemaQuery);
  const { data: untold } = useQuery({
    queryKey: ['refused'],
    queryFn: ({ signal }) => readUndisplayed(signal),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const read = useRefused(schema);
  const [refused, setRefused] = useState<readonly Refused[]>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is announced once
  useEffect(() => {
    if (!schema || !untold || untold.length === 0) return;
    const ids = markDisplayed(untold.map(({ id }) => id));
    const parts = joined(untold).map((part) => ({
      ...part,
      type: schema.contentTypes.find(({ uid }) => uid === part.type),
    }));
    const run = async (): Promise<void> => {
      const reported = parts.map(async ({ type, action, locale, at, documents }) => {
        const summary = t(`lists.refused.${action}`, { count: documents.length });
        const text = type ? t('lists.refused.of', { type: typeLabel(t, type, true), what: summary }) : summary;
        return { ...(await read({ type, locale: locale ?? undefined, outcomes: documents })), asked: { text, at } };
      });
      setRefused(await Promise.all(reported));
    };
    show({
      text: t('lists.refused.later', { count: parts.reduce((sum, { documents }) => sum + documents.length, 0) }),
      tone: 'danger',
      stays: true,
      more: { label: t('lists.refused.show'), run: () => void run() },
      onGone: () => void deleteDisplayed(ids),
    });
  }, [untold, schema]);
  return (
    refused && (
      <Suspense>
        <Late refused={refused} onClose={() => setRefused(undefined)} />
      </Suspense>
    )
  );
}

/** Merges the requests of one action, each of which has a part of its documents. */
function joined(untold: readonly RefusedAction[]): readonly RefusedAction[] {
  const parts = new Map<string, RefusedAction>();
  for (const one of untold) {
    const key = JSON.stringify([one.type, one.action, one.locale]);
    const before = parts.get(key);
    parts.set(key, before ? { ...one, documents: [...before.documents, ...one.documents] } : one);
  }
  return [...parts.values()];
}
