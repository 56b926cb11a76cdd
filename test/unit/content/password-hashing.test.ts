/** Password hashes: those of the reference, those of Galley, and invalid ones. */
import { deepStrictEqual, match, ok, rejects, strictEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import {
  decoysBeside,
  hashPassword,
  isTooLong,
  NEW_PASSWORDS,
  PASSWORD_QUEUE,
  verifyPassword,
} from '../../../src/content/validation/password-hashing.ts';
import { endPasswordThread, takeAllSteps } from '../../support/accounts/password-thread.ts';

before(() => takeAllSteps(true));
after(() => takeAllSteps(false));

/** Made with bcryptjs, as the reference makes them. */
const REFERENCE = '$2b$10$QELZAwadPPJ4GLtaIebeAOrwSXEaEEpgbNLrogPlQ8AVlP/Ili1Dy';
/** Of `grün`, U+0000 and `x`, with few rounds: made with bcryptjs. */
const ODD = '$2b$04$q4eK3s0R7u6oxdI/42pzFOAyrjHIUmb50/JiT.l7tMiPDRiGZpbDi';
/** Of eighty times `x`, of which the hash saw 72: made with bcryptjs. */
const CUT = '$2b$10$St.m/6SvPl1kJeNBk1bPR.Qv/Gyx4R4y33m1XcTD0i8e8GFCSUrj6';

describe('a password hash', () => {
  it('matches only the password that it was computed from', async () => {
    const hash = await hashPassword('correct horse');
    match(hash, /^\$2b\$10\$[./A-Za-z0-9]{53}$/);
    ok(hash !== (await hashPassword('correct horse')), 'each has a salt of its own');
    deepStrictEqual(
      await Promise.all(['correct horse', 'Correct horse', ''].map((text) => verifyPassword(text, hash))),
      [true, false, false],
    );
  });

  it('of the reference is accepted, whichever letter its version has', async () => {
    for (const version of ['$2a$', '$2b$', '$2y$']) {
      strictEqual(await verifyPassword('correct horse', REFERENCE.replace('$2b$', version)), true, version);
    }
    strictEqual(await verifyPassword('battery staple', REFERENCE), false);
    deepStrictEqual(
      [await verifyPassword('grün\0x', ODD), await verifyPassword('grün\0y', ODD), await verifyPassword('grün', ODD)],
      [true, false, false],
    );
  });

  it('that is cheap to compare with takes as long as one that is missing', () => {
    const steps = (hash: string) => 2 ** Number(hash.slice(4, 6));
    for (const rounds of ['04', '05', '09', '10']) {
      const hash = REFERENCE.replace('$10$', `$${rounds}$`);
      strictEqual(
        [hash, ...decoysBeside(hash)].reduce((sum, one) => sum + steps(one), 0),
        2 ** 10,
        rounds,
      );
    }
  });

  it('that is malformed matches no password', async () => {
    const wrong = [null, undefined, '', 'plain', '$2b$10$short', `${REFERENCE}x`, REFERENCE.replace('$10$', '$31$')];
    for (const hash of wrong) strictEqual(await verifyPassword('correct horse', hash), false, String(hash));
  });

  it('is refused for a password whose end would be ignored', async () => {
    strictEqual(await verifyPassword('x'.repeat(72), await hashPassword('x'.repeat(72))), true);
    await rejects(hashPassword('x'.repeat(73)), { status: 400 });
    await rejects(hashPassword('ü'.repeat(37)), { status: 400 });
    deepStrictEqual([isTooLong('ü'.repeat(36)), isTooLong('ü'.repeat(37))], [false, true]);
  });

  it('of a truncated password matches the truncated text', async () => {
    deepStrictEqual(
      [await verifyPassword('x'.repeat(80), CUT), await verifyPassword('x'.repeat(72), CUT)],
      [false, true],
    );
  });
});

describe('the thread that hashes passwords', () => {
  it('refuses passwords that would wait too long', async (t) => {
    // how long each takes is not the subject
    takeAllSteps(false);
    t.after(() => takeAllSteps(true));
    const asked = await Promise.allSettled(
      Array.from({ length: PASSWORD_QUEUE + 3 }, () => verifyPassword('grün\0x', ODD)),
    );
    const statuses = asked.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.status : 200));
    deepStrictEqual(statuses.slice(PASSWORD_QUEUE), [503, 503, 503]);
    strictEqual(statuses[0], 200);
    // on a machine that is busy with other things those at the end of the queue may wait for too long
    deepStrictEqual(statuses.slice(0, PASSWORD_QUEUE), statuses.slice(0, PASSWORD_QUEUE).sort());
    strictEqual(await verifyPassword('grün\0x', ODD), true);
  });

  it('reserves capacity for checked passwords, and alternates them with new ones', async () => {
    const order: string[] = [];
    const made = Array.from({ length: NEW_PASSWORDS + 3 }, () => hashPassword('a').then(() => order.push('made')));
    const checked = [0, 1].map(() => verifyPassword('x', null).then(() => order.push('checked')));
    const refused: number[] = [];
    for (const [index, one] of made.entries()) one.catch(() => refused.push(index));
    await Promise.all(checked);
    deepStrictEqual(order.slice(0, 4), ['made', 'checked', 'made', 'checked']);
    deepStrictEqual(refused, [NEW_PASSWORDS, NEW_PASSWORDS + 1, NEW_PASSWORDS + 2]);
    await rejects(made.at(-1)!, { status: 503, message: 'Too many passwords are waiting to be checked' });
    await endPasswordThread();
    await Promise.allSettled(made);
  });

  it('lets the process end, and not before it has answered', async () => {
    const module = path.join(import.meta.dirname, '../../../src/content/validation/password-hashing.ts');
    const script = `import { hashPassword } from ${JSON.stringify(module)}; console.log(await hashPassword('a'));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    match(stdout, /^\$2b\$10\$/);
  });
});
