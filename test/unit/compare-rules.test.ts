/** The program that compares Galley with the reference knows no difference that people who move are not told of. */
import { ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { RULES } from '../compare/differences.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/differences.md'), 'utf8');

for (const { name, page: line } of RULES) {
  it(`the rule ${name} is a line of docs/differences.md`, () => ok(page.includes(line), line));
}
