/** New documents on this device that the server does not have: opening and discarding them. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useSyncExternalStore } from 'react';
import type { ContentType, Schema } from '../../../contract/schema.ts';
import { localeName } from '../../data/locales.ts';
import { useSession } from '../../data/session.ts';
import { removeUnsaved, storeUnsaved, subscribeToUnsaved, type UnsavedNew, unsavedNew } from '../../data/unsaved.ts';
import { Moment, useText } from '../../language/language.tsx';
import { typeLabel } from '../../language/type-name.ts';
import { IconButton } from '../../ui/button.tsx';
import { CloudOff, Trash } from '../../ui/icons.ts';
import { useToasts } from '../../ui/toast.tsx';
import styles from './unsaved-documents.module.css';

interface Props {
  readonly schema: Schema | undefined;
  /** The type of the documents; undefined for all types. */
  readonly uid?: string;
}

export function Begun({ schema, uid }: Props): ReactNode {
  const t = useText();
  const { show } = useToasts();
  const all = useBegun(schema);
  const begun = uid === undefined ? all : all.filter(({ type }) => type.uid === uid);
  if (!schema || begun.length === 0) return null;
  const throwAway = ({ place, kept }: UnsavedNew, name: string): void => {
    const { writers, ...unsaved } = kept;
    removeUnsaved(place, kept);
    show({ text: t('begun.thrownAway', { name }), undo: () => storeUnsaved(place, writers[0].id, unsaved) });
  };
  return (
    <section className={styles['begun']} aria-labelledby="begun">
      <h2 id="begun" className={styles['heading']}>
        <CloudOff size={14} />
        {t('begun.title')}
      </h2>
      <ul>
        {begun.map(({ type, one }) => {
          const { place, kept } = one;
          const [{ id }] = kept.writers;
          const name = nameIn(type, kept.values) ?? t('document.untitled');
          const { locale } = place;
          const link = {
            to: '/content/$uid/$documentId',
            params: { uid: place.uid, documentId: 'new' },
            search: { kept: id, ...(locale === null ? {} : { locale }) },
          };
          const notes = [
            ...(uid === undefined ? [typeLabel(t, type)] : []),
            ...(locale === null || schema.locales.length < 2 ? [] : [localeName(schema, locale)]),
          ];
          return (
            <li key={`${place.uid} ${id}`} className={styles['row']}>
              <Link {...(link as unknown as { to: '/' })} dir="auto" className={styles['name']}>
                {name}
              </Link>
              <span className={styles['note']}>
                {notes.length > 0 && `${notes.join(' · ')} · `}
                <Moment at={new Date(kept.at).toISOString()} />
              </span>
              <IconButton icon={Trash} label={t('begun.throwAway', { name })} onClick={() => throwAway(one, name)} />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/**
 * The stored documents with their types. Those of single types are left out of the list of their type, because its page
 * finds them.
 */
function useBegun(schema: Schema | undefined): readonly { readonly type: ContentType; readonly one: UnsavedNew }[] {
  const { id: user } = useSession().user;
  const known = useSyncExternalStore(subscribeToUnsaved, () => JSON.stringify(unsavedNew(user)));
  return useMemo(() => {
    const types = new Map(schema?.contentTypes.map((type) => [type.uid, type]));
    return (JSON.parse(known) as readonly UnsavedNew[]).flatMap((one) => {
      const type = types.get(one.place.uid);
      return type?.kind === 'collectionType' ? [{ type, one }] : [];
    });
  }, [known, schema]);
}

function nameIn({ layout, attributes }: ContentType, values: Readonly<Record<string, unknown>>): string | undefined {
  const isText = attributes.some(({ name }) => name === layout.mainField);
  const value = isText ? values[layout.mainField] : undefined;
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
