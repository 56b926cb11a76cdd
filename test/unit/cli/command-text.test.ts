/** How messages write a command for the user of a project. */
import { strictEqual } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { commandText, docsPath } from '../../../src/own-files.ts';

describe('a suggested command', () => {
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

  const command = (packageFolder: string, workingFolder: string, dir: string): string =>
    commandText('admin list', path.join(root, dir), {
      packageFolder: path.join(root, packageFolder),
      workingFolder: path.join(root, workingFolder),
    });

  it('uses npx if the project or a folder above it has the package installed, also as a link', () => {
    strictEqual(command('site/node_modules/galley', 'site', 'site'), 'npx galley admin list');
    strictEqual(command('site/node_modules/galley', '.', 'site'), 'npx galley admin list site');
    strictEqual(command('galley', 'sites/one', 'sites/one'), 'npx galley admin list');
  });

  it('uses the npm script in a checkout', () => {
    strictEqual(command('galley', 'galley', 'galley/examples/blog'), 'npm run -s galley -- admin list examples/blog');
    strictEqual(command('galley', 'plain', 'plain'), 'npm run -s galley -- admin list path/to/plain');
  });

  it('comes with the documentation, whose pages are inside node_modules or in the checkout', () => {
    const page = (packageFolder: string, workingFolder: string): string =>
      docsPath('writing.md', {
        packageFolder: path.join(root, packageFolder),
        workingFolder: path.join(root, workingFolder),
      });
    strictEqual(page('site/node_modules/galley', 'site'), 'node_modules/galley/docs/writing.md');
    strictEqual(page('galley', 'sites/one'), 'node_modules/galley/docs/writing.md');
    strictEqual(page('galley', 'galley'), 'docs/writing.md');
  });

  it('uses the name of the program if it is installed elsewhere', () => {
    strictEqual(command('site/node_modules/galley', 'plain', 'plain'), 'galley admin list');
    strictEqual(command('site/node_modules/galley', 'sites', 'plain'), 'galley admin list path/to/plain');
  });
});
