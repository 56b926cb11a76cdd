/**
 * What the palette finds in the content: documents of all types by name, and types of which documents can be created.
 */

import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { request } from '../data/client.ts';
import { schemaQuery } from '../data/schema.ts';
import { documentName } from '../language/document-name.ts';
import { useText } from '../language/language.tsx';
import { typeLabel } from '../language/type-name.ts';
import { FileText, Plus } from '../ui/icons.ts';
import { fit, type PaletteItem, usePaletteSource } from './palette-sources.tsx';

/** The number of characters from which on documents are searched. */
const ENOUGH = 2;

export function useDocumentSource(): void {
  const t = useText();
  const router = useRouter();
  const { data: schema } = useQuery(schemaQuery);
  usePaletteSource(async (text, signal) => {
    const q = text.trim();
    if (!schema || q.length < ENOUGH) return [];
    const types = new Map(schema.contentTypes.map((type) => [type.uid, type]));
    const go = (uid: string, documentId: string, locale: string | null) => () => {
      const search = locale === null ? {} : { locale };
      void router.navigate({ to: '/content/$uid/$documentId', params: { uid, documentId }, search } as never);
    };
    const models = [...types.values()]
      .filter(({ kind, actions }) => kind === 'collectionType' && actions.create)
      .map((type) => ({ uid: type.uid, label: t('palette.new', { name: typeLabel(t, type) }) }))
      .filter(({ label }) => fit(label, q) !== undefined)
      .map(
        ({ uid, label }): PaletteItem => ({
          id: `new ${uid}`,
          label,
          group: t('palette.do'),
          icon: Plus,
          run: go(uid, 'new', null),
        }),
      );
    const { data } = await request('GET search', { query: { q }, signal });
    const found = data.map(({ type, documentId, locale, label }): PaletteItem => {
      const known = types.get(type);
      const named = schema.locales.length > 1 ? schema.locales.find(({ code }) => code === locale)?.name : undefined;
      return {
        id: `${type} ${documentId} ${locale}`,
        label: documentName(t, { documentId, label }),
        group: t('palette.documents'),
        note: [known && typeLabel(t, known), named].filter(Boolean).join(' · '),
        icon: FileText,
        run: go(type, known?.kind === 'singleType' ? 'single' : documentId, locale),
      };
    });
    return [...models, ...found];
  });
}
