/** When changed files are read: times are numbers, without waiting. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedPaths, EMPTY, LONGEST, PATIENCE, QUIET, Settling } from '../../../src/cli/watch/settling.ts';

const files = (versions: Record<string, string>) => new Map(Object.entries(versions));
const BEFORE = files({ 'a.json': '1', 'b.json': '1' });
const AFTER = files({ 'a.json': '2', 'b.json': '1' });
const BEGUN = files({ 'a.json': EMPTY, 'b.json': '1' });

describe('the decision when to read changed files', () => {
  it('has no next look before a change', () => {
    strictEqual(new Settling(BEFORE).due, undefined);
  });

  it('reads after a quiet time, also after a long burst of changes', () => {
    const settling = new Settling(BEFORE);
    settling.changed(1000);
    strictEqual(settling.due, 1000 + QUIET);
    for (let now = 1010; now <= 1500; now += 10) settling.changed(now);
    strictEqual(settling.due, 1500 + QUIET);
    strictEqual(settling.look(1500 + QUIET, AFTER), true);
    settling.placed(AFTER);
    strictEqual(settling.due, undefined);
  });

  it('reads files that never stop changing', () => {
    const settling = new Settling(BEFORE);
    for (let now = 0; now <= 2 * LONGEST; now += 10) settling.changed(now);
    strictEqual(settling.due, LONGEST);
  });

  it('reads nothing if the files have not changed', () => {
    const settling = new Settling(BEFORE);
    settling.changed(0);
    strictEqual(settling.look(QUIET, new Map(BEFORE)), false);
    strictEqual(settling.due, undefined);
  });

  it('waits for the contents of a file that has become empty', () => {
    const settling = new Settling(BEFORE);
    settling.changed(0);
    strictEqual(settling.look(QUIET, BEGUN), false);
    strictEqual(settling.due, PATIENCE);
    settling.changed(100);
    strictEqual(settling.due, 100 + QUIET);
    strictEqual(settling.look(100 + QUIET, AFTER), true);
  });

  it('reads a file that stays empty', () => {
    const settling = new Settling(BEFORE);
    settling.changed(0);
    settling.look(QUIET, BEGUN);
    strictEqual(settling.look(PATIENCE, BEGUN), true);
  });

  it('does not wait for a file that was empty before', () => {
    const settling = new Settling(BEGUN);
    settling.changed(0);
    strictEqual(settling.look(QUIET, files({ 'a.json': EMPTY, 'b.json': '2' })), true);
  });

  it('reports mistakes that stay for some time', () => {
    const settling = new Settling(BEFORE);
    settling.changed(0);
    settling.look(QUIET, AFTER);
    strictEqual(settling.failed(QUIET + 5, AFTER), false);
    strictEqual(settling.due, PATIENCE);
    strictEqual(settling.look(PATIENCE, AFTER), true);
    strictEqual(settling.failed(PATIENCE + 5, AFTER), true);
    strictEqual(settling.due, undefined);
    // the same files are not read again
    settling.changed(5000);
    strictEqual(settling.look(5000 + QUIET, AFTER), false);
    // those that were in place before are
    settling.changed(6000);
    strictEqual(settling.look(6000 + QUIET, BEFORE), true);
  });

  it('does not report mistakes of files that have changed meanwhile', () => {
    const settling = new Settling(BEFORE);
    settling.changed(0);
    settling.look(QUIET, AFTER);
    settling.changed(PATIENCE + 1);
    strictEqual(settling.failed(PATIENCE + 2, AFTER), false);
    strictEqual(settling.due, PATIENCE + 1 + QUIET);
  });

  it('remembers a change during a reload', () => {
    const settling = new Settling(BEFORE);
    settling.changed(0);
    settling.look(QUIET, AFTER);
    settling.changed(60);
    settling.placed(AFTER);
    strictEqual(settling.due, 60 + QUIET);
    strictEqual(settling.look(60 + QUIET, files({ 'a.json': '3' })), true);
  });

  it('lists new, changed and removed files', () => {
    const now = files({ 'b.json': '2', 'c.json': '1' });
    deepStrictEqual(changedPaths(BEFORE, now), ['a.json', 'b.json', 'c.json']);
    deepStrictEqual(changedPaths(BEFORE, BEFORE), []);
  });
});
