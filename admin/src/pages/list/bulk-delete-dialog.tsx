/** The dialog for deleting documents, with the documents that link to them and their versions in other locales. */
import type { ReactNode } from 'react';
import type { SeveralUses } from '../../../contract/documents.ts';
import type { Schema } from '../../../contract/schema.ts';
import { request } from '../../data/client.ts';
import { type Intent, splitByRequest } from '../../data/deferred.ts';
import { localeName } from '../../data/locales.ts';
import { useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { UsesList } from '../document/uses-list.tsx';

/** The documents to delete, and what is lost with them. */
export interface Loss {
  readonly intent: Intent;
  readonly uses: SeveralUses;
  /** The locale of the list, if the documents have versions in others, which would be deleted as well. */
  readonly among: string | undefined;
  /** Whether versions in other locales stay, because they may not be deleted. */
  readonly keepsOthers: boolean;
  /** Whether some of the documents stay, because they may not be deleted. */
  readonly keepsSome: boolean;
}

interface Props {
  readonly schema: Schema;
  readonly loss: Loss;
  readonly onClose: () => void;
  readonly onDelete: (intent: Intent) => void;
}

export function BulkDeleteDialog({
  schema,
  loss: { intent, uses, among, keepsOthers, keepsSome },
  onClose,
  onDelete,
}: Props): ReactNode {
  const t = useText();
  const count = intent.documentIds.size;
  const own = intent.locale ?? among;
  const version = { count, locale: own === undefined ? '' : localeName(schema, own) };
  const others = uses.meta.locales.filter((code) => code !== among).map((code) => localeName(schema, code));
  const title = intent.locale === undefined ? t('lists.delete.title', { count }) : t('lists.delete.versions', version);
  const lost = lossText(t, uses, intent.locale, count);
  const about = keepsSome
    ? t('lists.delete.keptSome', { count })
    : keepsOthers
      ? t('lists.delete.kept')
      : among !== undefined && t('lists.delete.others', { locales: others.join(', ') });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      wide={among !== undefined}
      text={about || lost}
      actions={
        <>
          <CancelButton onClick={onClose} />
          {among !== undefined && (
            <Button onClick={() => onDelete({ ...intent, locale: among })}>{t('lists.delete.only', version)}</Button>
          )}
          {(count > 1 || !keepsSome) && (
            <Button look="danger" onClick={() => onDelete(intent)}>
              {intent.locale !== undefined
                ? t('document.delete.ownVersion', version)
                : t(among === undefined ? 'lists.delete' : 'document.delete.versions')}
            </Button>
          )}
        </>
      }
    >
      {about && lost !== undefined && <p>{lost}</p>}
      {uses.data.length > 0 && <UsesList schema={schema} uses={uses.data} />}
    </Dialog>
  );
}

/**
 * The number of published documents, and of other documents that link to them, as far as it is known; undefined if
 * there are none.
 */
function lossText(t: Text, uses: SeveralUses, locale: string | undefined, count: number): string | undefined {
  const { data, meta } = uses;
  const unknown =
    data.length === 0 && meta.more ? t(count === 1 ? 'lists.delete.one.unknown' : 'lists.delete.unknown') : '';
  const onSite = countOnSite(uses, locale);
  if (count === 1) {
    const links = t(meta.more ? 'lists.delete.one.linkedMore' : 'lists.delete.one.linked', { count: data.length });
    const parts = [...(onSite > 0 ? [t('lists.delete.one.onSite')] : []), ...(data.length > 0 ? [links] : [])];
    const sentence = parts.length === 0 ? '' : `${capitalized(parts.join('; '))}.`;
    return [sentence, unknown].filter(Boolean).join(' ') || undefined;
  }
  const linked = new Set(data.flatMap(({ targets }) => targets)).size;
  const parts = [
    ...(onSite > 0 ? [t('lists.delete.onSite', { count: onSite })] : []),
    ...(data.length === 0
      ? []
      : meta.more
        ? [t('lists.delete.linkedMore', { count: data.length })]
        : [t('lists.delete.linked', { count: linked, from: t('lists.delete.from', { count: data.length }) })]),
  ];
  const sentence = parts.length === 0 ? '' : `${capitalized(parts.join(', '))}${data.length > 0 ? ':' : '.'}`;
  return [sentence, unknown].filter(Boolean).join(' ') || undefined;
}

const capitalized = (sentence: string): string => sentence.charAt(0).toLocaleUpperCase() + sentence.slice(1);

/** The number of published documents, in a locale or in any. */
export function countOnSite({ meta: { states } }: SeveralUses, locale: string | undefined): number {
  return Object.values(states).filter((ofDocument) =>
    Object.entries(ofDocument).some(([code, state]) => (locale === undefined || code === locale) && state !== 'draft'),
  ).length;
}

/** Counts the documents that link to those of an intent. It stops when there are more than one answer contains. */
export async function usesOf(intent: Intent): Promise<SeveralUses> {
  const found = new Map<string, SeveralUses['data'][number]>();
  const locales = new Set<string>();
  let states: SeveralUses['meta']['states'] = {};
  let [more, whole] = [false, true];
  for (const documentIds of splitByRequest(intent)) {
    const body = { documentIds: [...documentIds] };
    const { data, meta } = await request('POST content/:uid/bulk/uses', { params: { uid: intent.uid }, body });
    for (const use of more ? [] : data) {
      const { type, documentId } = use.document;
      // Documents that are deleted themselves do not count.
      if (type === intent.uid && intent.documentIds.has(documentId)) continue;
      const key = `${type} ${documentId}`;
      found.set(key, { ...use, targets: [...(found.get(key)?.targets ?? []), ...use.targets] });
    }
    for (const code of meta.locales) locales.add(code);
    states = { ...states, ...meta.states };
    more ||= meta.more;
    whole &&= meta.whole;
  }
  return { data: [...found.values()], meta: { more, locales: [...locales], whole, states } };
}
