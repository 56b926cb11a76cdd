/** What an import has come to, in words. */
import type { RowImport } from '../../../contract/rows.ts';
import type { Text } from '../../language/messages.ts';

export function outcomeText(t: Text, rowImport: RowImport): string {
  const { state, isTrial, created, updated, failed, undone, kept } = rowImport;
  const isBack = state === 'undone' || state === 'partlyUndone';
  if (isBack) {
    const left = kept > 0 ? ` ${t('rowFiles.outcome.kept', { count: kept })}` : '';
    return t('rowFiles.outcome.undone', { count: undone }) + left;
  }
  const counts = t(isTrial ? 'rowFiles.outcome.trial' : 'rowFiles.outcome.done', { created, updated });
  const left = failed > 0 ? ` ${t('rowFiles.outcome.failed', { count: failed })}` : '';
  const early = state === 'done' ? '' : ` ${t(`rowFiles.outcome.${EARLY[state] ?? 'interrupted'}`)}`;
  return counts + left + early;
}

const EARLY: Readonly<Partial<Record<RowImport['state'], 'stopped' | 'interrupted' | 'broken'>>> = {
  stopped: 'stopped',
  failed: 'broken',
};
