/** How a command is given where a project is served. */
import { strictEqual } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { commandText } from '../../../src/own-files.ts';

describe('a command that is told', () => {
  let root: string;
  before(() => {
    root = mkdtempSync(path.join(tmpdir(), 'galley-command-'));
    for (const folder of [
      'site/node_modules',
      'site/node_modules/galley',
      'sites/one',
      'galley/examples/blog',
      'plain',
    ])
      mkdirSync(path.join(root, folder), { recursive: true });
    mkdirSync(path.join(root, 'sites/node_modules'));
    symlinkSync(path.join(root, 'galley'), path.join(root, 'sites/node_modules/galley'));
  });
  after(() => rmSync(root, { recursive: true }));

  const told = (packageFolder: string, workingFolder: string, dir: string): string =>
    commandText('admin list', path.join(root, dir), {
      packageFolder: path.join(root, packageFolder),
      workingFolder: path.join(root, workingFolder),
    });

  it('is given by npm where the project has the program installed, however far above or linked', () => {
    strictEqual(told('site/node_modules/galley', 'site', 'site'), 'npx galley admin list');
    strictEqual(told('site/node_modules/galley', '.', 'site'), 'npx galley admin list site');
    strictEqual(told('galley', 'sites/one', 'sites/one'), 'npx galley admin list');
  });

  it('is given by the script of a checkout, which runs there', () => {
    strictEqual(told('galley', 'galley', 'galley/examples/blog'), 'npm run -s galley -- admin list examples/blog');
    strictEqual(told('galley', 'plain', 'plain'), 'npm run -s galley -- admin list path/to/plain');
  });

  it('is given by its name where it is installed elsewhere', () => {
    strictEqual(told('site/node_modules/galley', 'plain', 'plain'), 'galley admin list');
    strictEqual(told('site/node_modules/galley', 'sites', 'plain'), 'galley admin list path/to/plain');
  });
});
