/** Background work: failures are logged without content, and its amount is limited. */
import { deepStrictEqual, doesNotMatch, match, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorField } from '../../src/log-line.ts';
import { Background, MAX_JOBS } from '../../src/users/accounts/background.ts';

describe('background work', () => {
  it('is waited for, and its failures are logged by name', async () => {
    const lines: [string, string][] = [];
    const background = new Background((line, error) => void lines.push([line, JSON.stringify(errorField(error))]));
    let done = 0;
    background.run('a job', async () => {
      await new Promise(setImmediate);
      done += 1;
    });
    background.run('a mail', async () => {
      throw Object.assign(new Error('Can’t send mail to eve@example.com'), { code: 'EENVELOPE' });
    });
    await background.finish();
    strictEqual(done, 1);
    const [[line, error] = ['', '']] = lines;
    strictEqual(line, 'error: a mail: failed');
    match(error, /"type":"Error".*"code":"EENVELOPE","stack":" +at .*background\.test/);
    doesNotMatch(error, /eve@example/);
  });

  it('is dropped beyond its limit, and accepted again below it', async () => {
    const lines: string[] = [];
    const background = new Background((line) => void lines.push(line));
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let done = 0;
    const job = async (): Promise<void> => {
      await gate;
      done += 1;
    };
    for (let i = 0; i <= MAX_JOBS; i++) background.run('a job', job);
    strictEqual(lines.length, 1);
    open();
    await background.finish();
    background.run('a job', job);
    await background.finish();
    deepStrictEqual([done, lines.length], [MAX_JOBS + 1, 1]);
  });
});
