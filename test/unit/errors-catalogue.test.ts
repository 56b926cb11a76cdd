/** `docs/reference/errors.md` and the catalogue of `src/errors.ts` say the same. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { catalogue } from '../../src/errors.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/reference/errors.md'), 'utf8');

/** Sections of the page that describe an error: `## Name (status)`, text, examples. */
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [, name = '', status = ''] = /^(\w+) \((\d+)\)\n/.exec(section) ?? [];
    const examples = [...section.matchAll(/```json\n(.*?)```/gs)].map((match) => JSON.parse(match[1]!));
    return { name, status: Number(status), text: section, examples };
  });

describe('the reference of errors', () => {
  it('lists the catalogue, with statuses, in its order', () => {
    const documented = sections.map(({ name, status }) => [name, status]);
    deepStrictEqual(documented, Object.entries(catalogue));
  });

  it('shows examples that carry the name and status of their section', () => {
    for (const { name, status, text, examples } of sections) {
      ok(examples.length > 0 || text.includes('Method Not Allowed'), `${name} has an example`);
      for (const example of examples) {
        strictEqual(example.data, null);
        strictEqual(example.error.name, name);
        strictEqual(example.error.status, status);
        ok(example.error.message.length > 0);
      }
    }
  });
});
