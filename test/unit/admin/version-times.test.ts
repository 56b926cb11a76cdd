/** The times of recorded versions in the timeline and in choices. */
import { deepStrictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContentType } from '../../../admin/contract/contract.ts';
import type { RecordedVersion } from '../../../admin/contract/documents.ts';
import { setZone } from '../../../admin/src/data/zone.ts';
import { en } from '../../../admin/src/language/en.ts';
import { textOf } from '../../../admin/src/language/messages.ts';
import { replacedText, sharedMinutes, versionText } from '../../../admin/src/pages/history/texts.ts';

const LOCALE = 'en-GB';
const t = textOf(en, LOCALE);
const plain = (text: string): string => text.replaceAll(/[\u2066-\u2069]/g, '');
const model = { draftAndPublish: true } as ContentType;

function version(status: 'draft' | 'published', savedAt: string, replacedAt: string | null): RecordedVersion {
  const at = (time: string) => `2026-05-04T${time}.000Z`;
  return {
    ...{ id: savedAt, locale: null, status, savedAt: at(savedAt), savedBy: null, reason: 'updated', replacedBy: null },
    replacedAt: replacedAt && at(replacedAt),
  };
}

describe('the times of versions', () => {
  it('show seconds in minutes in which several versions were saved or replaced', () => {
    setZone('UTC');
    const versions = [
      version('draft', '14:02:31', '14:07:00'),
      version('draft', '14:02:05', '14:02:31'),
      version('draft', '14:01:58', '14:02:05'),
      version('published', '14:02:40', null),
    ];
    const minutes = sharedMinutes(versions);
    deepStrictEqual(
      versions.map((one) => plain(versionText(t, model, one, minutes, LOCALE))),
      [
        'Draft from 4 May 2026, 14:02:31',
        'Draft from 4 May 2026, 14:02:05',
        'Draft from 4 May 2026, 14:01',
        'Publication from 4 May 2026, 14:02',
      ],
    );
    deepStrictEqual(
      versions.map((one) => replacedText(one, minutes, LOCALE)),
      ['14:07', '14:02:31', '14:02:05', '14:02:40'],
    );
    setZone(null);
  });
});
