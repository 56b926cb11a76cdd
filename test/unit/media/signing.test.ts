/** How old signed addresses are when they are handed out, on a clock of the test's own. */
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { S3Config } from '../../../src/config/config.ts';
import { S3Address } from '../../../src/media/storage/s3-address.ts';
import { CurrentCredentials } from '../../../src/media/storage/s3-credentials.ts';
import { UrlSigner } from '../../../src/media/storage/signing.ts';

const START = Date.UTC(2026, 0, 2, 3, 4, 5);

function signerOf(signedUrlExpires: number, clock: { now: number }): UrlSigner {
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const config: S3Config = {
    provider: 'aws-s3',
    bucket: 'media',
    region: 'eu-west-1',
    endpoint: 'https://store.example.com',
    prefix: '',
    pathStyle: true,
    private: true,
    acl: undefined,
    baseUrl: undefined,
    signedUrlExpires,
    credentials,
  };
  const current = CurrentCredentials.fixed(credentials);
  return new UrlSigner({ config, address: new S3Address(config), credentials: current, now: () => clock.now });
}

const URL_OF_FILE = 'https://store.example.com/media/a.png';

/** Seconds since an address was signed, as it says itself, and those that it lives. */
function ageOf(address: string, now: number): [number, number] {
  const query = new URL(address).searchParams;
  const date = query.get('X-Amz-Date')!.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  return [Math.floor((now - Date.parse(date)) / 1000), Number(query.get('X-Amz-Expires'))];
}

describe('a signed address', () => {
  it('is a minute old at most when it is handed out, however long it lives', () => {
    for (const lifetime of [120, 900, 604_800]) {
      const clock = { now: START };
      const signer = signerOf(lifetime, clock);
      for (; clock.now < START + 200_000; clock.now += 7_000) {
        const [age, expires] = ageOf(signer.sign(URL_OF_FILE), clock.now);
        ok(age >= 0 && age < 60, `${age} s of ${lifetime}`);
        strictEqual(expires, lifetime);
      }
    }
  });

  it('is half its lifetime old at most where that is less than two minutes', () => {
    const clock = { now: START };
    const signer = signerOf(20, clock);
    for (; clock.now < START + 60_000; clock.now += 1_000) ok(ageOf(signer.sign(URL_OF_FILE), clock.now)[0] < 10);
  });

  it('stays the same within a minute, in every process, and so does the name of its period', () => {
    const clock = { now: Date.UTC(2026, 0, 2, 3, 4, 0) };
    const [one, other] = [signerOf(900, clock), signerOf(900, clock)];
    const [address, period] = [one.sign(URL_OF_FILE), one.period()];
    clock.now += 59_999;
    deepStrictEqual([one.sign(URL_OF_FILE), one.period()], [address, period]);
    deepStrictEqual([other.sign(URL_OF_FILE), other.period()], [address, period]);
    clock.now += 1;
    notStrictEqual(one.sign(URL_OF_FILE), address);
    notStrictEqual(one.period(), period);
  });
});
