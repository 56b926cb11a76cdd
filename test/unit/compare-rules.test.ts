/** The program that compares Galley with the reference has no difference that is not documented. */
import { ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { RULES } from '../compare/differences.ts';
import { ANSWER_RULES } from '../compare/writes/answer-rules.ts';
import { GAP_RULES } from '../compare/writes/gap-rules.ts';
import { REQUEST_RULES } from '../compare/writes/request-rules.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/differences.md'), 'utf8');

for (const { name, page: line } of [...RULES, ...REQUEST_RULES, ...ANSWER_RULES, ...GAP_RULES]) {
  it(`the rule ${name} (${line}) is a line of docs/differences.md`, () => ok(page.includes(line), line));
}
