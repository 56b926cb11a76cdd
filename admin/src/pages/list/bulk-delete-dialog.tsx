/** Before documents are deleted for good: what links to them, and in which other locales they have versions. */
import type { ReactNode } from 'react';
import type { SeveralUses } from '../../../contract/documents.ts';
import type { Schema } from '../../../contract/schema.ts';
import { request } from '../../data/client.ts';
import { type Intent, inRequests } from '../../data/deferred.ts';
import { localeName } from '../../data/locales.ts';
import { useText } from '../../language/language.tsx';
import type { Text } from '../../language/messages.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { UsesList } from '../document/uses-list.tsx';

/** What is to be deleted, and what is lost with it. */
export interface Loss {
  readonly intent: Intent;
  readonly uses: SeveralUses;
  /** The locale of the list, where the documents have versions in others, which would go as well. */
  readonly among: string | undefined;
  /** Whether there are versions in other locales that stay, since they may not be deleted. */
  readonly keepsOthers: boolean;
  /** Whether some of the documents stay, since they may not be deleted. */
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
  const links = usesText(t, uses);
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
      text={about || links}
      actions={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
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
      {about && links !== undefined && <p>{links}</p>}
      {uses.data.length > 0 && <UsesList schema={schema} uses={uses.data} />}
    </Dialog>
  );
}

/** How many others link to what is to be deleted, as far as it is known; undefined where none do. */
function usesText(t: Text, { data, meta }: SeveralUses): string | undefined {
  const count = data.length;
  if (count === 0) return meta.more ? t('lists.delete.unknown') : undefined;
  return t(meta.more ? 'lists.delete.usedMore' : 'lists.delete.used', { count });
}

/** What is lost with the documents of an intent: as soon as more links to them than is told, no others are looked for. */
export async function usesOf(intent: Intent): Promise<SeveralUses> {
  const found = new Map<string, SeveralUses['data'][number]>();
  const locales = new Set<string>();
  let [more, whole] = [false, true];
  for (const documentIds of inRequests(intent)) {
    const body = { documentIds: [...documentIds] };
    const { data, meta } = await request('POST content/:uid/bulk/uses', { params: { uid: intent.uid }, body });
    if (!more) for (const use of data) found.set(`${use.document.type} ${use.document.documentId}`, use);
    for (const code of meta.locales) locales.add(code);
    more ||= meta.more;
    whole &&= meta.whole;
  }
  return { data: [...found.values()], meta: { more, locales: [...locales], whole } };
}
