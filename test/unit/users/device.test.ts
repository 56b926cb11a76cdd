/** What a list of sessions calls a device. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deviceName, deviceOfName } from '../../../src/users/sessions/sessions.ts';

describe('the name of a device', () => {
  const names: readonly [userAgent: string | undefined, name: string | null][] = [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/119 Mobile Safari/604.1',
      'Chrome on iOS',
    ],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537 Chrome/120 Safari/537.36 Edg/120', 'Microsoft Edge on Windows'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15) AppleWebKit/605 Version/17 Safari/605', 'Safari on macOS'],
    ['Something of its own/1.0 (iPhone)', 'iOS'],
    ['Galley-App/1.0', null],
    ['', null],
    ['   ', null],
    [undefined, null],
  ];
  for (const [userAgent, name] of names) {
    it(`is ${name} for ${JSON.stringify(userAgent)}`, () => strictEqual(deviceName(userAgent), name));
  }

  it('has parts, which the app names in its language', () => {
    deepStrictEqual(deviceOfName('Firefox on Linux'), { browser: 'Firefox', system: 'Linux', isPhone: false });
    deepStrictEqual(deviceOfName('Chrome on iOS'), { browser: 'Chrome', system: 'iOS', isPhone: true });
    deepStrictEqual(deviceOfName('HarmonyOS'), { browser: null, system: 'HarmonyOS', isPhone: true });
    deepStrictEqual(deviceOfName('Safari'), { browser: 'Safari', system: null, isPhone: false });
    strictEqual(deviceOfName(null), null);
  });

  it('is of bounded length, for any client', () => {
    for (const text of [
      'x'.repeat(100_000),
      'Version/'.repeat(10_000),
      `version/${'1'.repeat(100_000)}`,
      '\0\ud800 (iPhone)',
      `${'x'.repeat(500)}/1 (iPhone)`,
    ]) {
      strictEqual((deviceName(text)?.length ?? 0) < 100, true);
    }
  });
});
