/** Notes the addresses that a version has taken from another locale. */
import type { ContentType } from '../../../contract/contract.ts';
import type { DocumentAnswer } from '../../../contract/documents.ts';
import { noteCopiedUid } from '../../data/copied-uids.ts';
import type { Values } from '../../form/values/model.ts';

/** @param taken the values that were taken, by attribute. */
export function noteCopiedUids(model: ContentType, { documentId, locale }: DocumentAnswer, taken: Values): void {
  for (const { name, type, targetField } of model.attributes) {
    const value = taken[name];
    if (type !== 'uid' || targetField === undefined || typeof value !== 'string') continue;
    noteCopiedUid({ documentId, locale, attribute: name }, value);
  }
}
