/** Lines of the log as text: nothing that could move the cursor, and the lines of the project first. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { framesOf, lineText, requestText } from '../../src/log-text.ts';

const DIR = '/home/me/site';
const STACK = `TypeError: no such thing
    at query (file:///opt/galley/dist/main.js:1:1)
    at Object.run (/home/me/site/src/galley.ts:12:3)
    at lib (/home/me/site/node_modules/lib/index.js:3:3)
    at async file:///home/me/site/src/other%20file.ts:4:5
    at node:internal/process:1:1`;
const PLAIN = /^\d\d:\d\d:\d\d /;

const plain = (text: string): string => text.replace(PLAIN, '');

describe('a stack for people', () => {
  it('has the frames of the project, with paths inside it, and counts the others', () => {
    deepStrictEqual(framesOf(STACK, DIR), [
      'at Object.run (src/galley.ts:12:3)',
      'at async src/other file.ts:4:5',
      '… 3 more outside the project',
    ]);
  });

  it('has the first frames if none is of the project', () => {
    deepStrictEqual(framesOf('Error: x\n    at a (/opt/a.js:1:1)', DIR), ['at a (/opt/a.js:1:1)']);
    strictEqual(
      framesOf(Array.from({ length: 9 }, (_, n) => `    at f${n} (/opt/a.js:1:1)`).join('\n'), DIR).length,
      6,
    );
    deepStrictEqual(framesOf(undefined, DIR), []);
  });
});

describe('a line for people', () => {
  it('shows the answer of a request', () => {
    const line = { method: 'GET', path: '/api/notes', status: 200, ms: 4.06, bytes: 2345 };
    strictEqual(plain(requestText(line)), 'GET /api/notes 200 4.1 ms 2.3 kB');
    strictEqual(plain(requestText({ ...line, ms: 123.4, bytes: undefined })), 'GET /api/notes 200 123 ms');
  });

  it('has the request, the message, further fields and the error', () => {
    const err = { type: 'Error', message: 'gone', code: 'EIO' };
    const fields = { reqId: '1', method: 'GET', path: '/api/notes', status: 503, more: 2, err };
    strictEqual(plain(lineText('error', 'outage', fields, DIR)), 'error GET /api/notes 503 outage more=2: gone (EIO)');
    strictEqual(plain(lineText('warn', 'an index was made', {}, DIR)), 'warn  an index was made');
    // code of a project logs the error that it failed with
    const own = lineText(
      'error',
      'src/a.ts:1: gone (job a)',
      { err: { ...err, message: 'src/a.ts:1: gone (job a)' } },
      DIR,
    );
    strictEqual(plain(own), 'error src/a.ts:1: gone (job a)');
  });

  it('removes control characters from input of callers, and keeps colours', () => {
    match(
      lineText('info', 'a\u001b[2Jb\rc\u001b[31md\u001b[39m', {}, DIR),
      /a\ufffd\[2Jb\ufffdc\u001b\[31md\u001b\[39m$/,
    );
  });
});
