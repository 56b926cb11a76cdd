/** Fills the empty fields of a version from another locale, with undo. */
import type { ContentType, Schema } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { request } from '../../data/client.ts';
import { recordCopiedUid } from '../../data/copied-uids.ts';
import { localeName } from '../../data/locales.ts';
import { valuesToFill } from '../../form/values/filled-in.ts';
import type { Values } from '../../form/values/model.ts';
import { useText } from '../../language/language.tsx';
import { failureText } from '../../language/refusal-text.ts';
import { useToasts } from '../../ui/toast.tsx';
import { SINGLE } from './document-query.ts';
import type { Draft } from './draft.ts';

export function useFilling(schema: Schema, model: ContentType, draft: Draft): (from: string) => Promise<void> {
  const t = useText();
  const { show } = useToasts();
  return async (from) => {
    const { documentId, locale } = draft.get().server;
    const params = { uid: model.uid, documentId: model.kind === 'singleType' ? SINGLE : documentId! };
    try {
      const { data } = await request('GET content/:uid/:documentId/filled', {
        params,
        query: { from, locale: locale! },
      });
      const { values } = draft.get();
      const taken = valuesToFill(schema, model, values, data.values);
      const names = Object.keys(taken);
      if (names.length === 0) return void show({ text: t('document.fill.none', { locale: localeName(schema, from) }) });
      noteCopiedUids(model, draft.get().server, taken);
      draft.fill(taken);
      show({
        text: t('document.fill.done', { count: names.length, locale: localeName(schema, from) }),
        undo: () => draft.fill(Object.fromEntries(names.map((name) => [name, values[name] ?? null]))),
      });
      if (data.leftOut > 0)
        show({ text: t('document.locale.leftOut', { count: data.leftOut, locale: localeName(schema, locale!) }) });
    } catch (error) {
      show({ text: failureText(t, error), tone: 'danger' });
    }
  };
}

/** Records the uids that a version has copied from another locale. @param taken the copied values, by attribute. */
export function noteCopiedUids(model: ContentType, { documentId, locale }: DocumentAnswer, taken: Values): void {
  for (const { name, type, targetField } of model.attributes) {
    const value = taken[name];
    if (type !== 'uid' || targetField === undefined || typeof value !== 'string') continue;
    recordCopiedUid({ documentId, locale, attribute: name }, value);
  }
}
