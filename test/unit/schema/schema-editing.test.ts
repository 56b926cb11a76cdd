/** Texts of schema files, merging of changes, and writing files. */
import { deepStrictEqual, ok, strictEqual, throws } from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { mergedSchema } from '../../../src/schema/editing/merge.ts';
import { schemaText } from '../../../src/schema/editing/schema-text.ts';
import { endStep, recordStep, settleFiles, unfinishedStep } from '../../../src/schema/editing/unfinished-step.ts';
import { FilesChanged, UnsafePath, writeFiles } from '../../../src/schema/editing/write-files.ts';

const attributes = (...names: string[]) => ({
  attributes: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
});

describe('the text of a schema', () => {
  const FOUR = `{
    "info": {"displayName": "A", "singularName": "a"},
    "attributes": {
        "b": {"type": "string", "regex": "^\\\\\\\\d \\"x\\"$"},
        "a": {
            "type": "enumeration",
            "enum": [
                "x"
            ]
        }
    },
    "kind": "collectionType"
}`;
  const parsed = () => JSON.parse(FOUR);

  it('stays as it is where nothing changes, and ends with a line break', () => {
    strictEqual(schemaText(parsed(), FOUR), `${FOUR}\n`);
    strictEqual(
      schemaText(parsed(), `\uFEFF${FOUR.replaceAll('\n', '\r\n')}\r\n`),
      `\uFEFF${FOUR.replaceAll('\n', '\r\n')}\r\n`,
    );
  });

  it('gets new parts at their usual place in the indentation of the file', () => {
    const schema = parsed();
    schema.collectionName = 'as';
    schema.attributes = { a: { ...schema.attributes.a, enum: ['x', 'y'] }, b: schema.attributes.b };
    strictEqual(
      schemaText(schema, FOUR),
      `{
    "collectionName": "as",
    "info": {"displayName": "A", "singularName": "a"},
    "attributes": {
        "a": {
            "type": "enumeration",
            "enum": [
                "x",
                "y"
            ]
        },
        "b": {"type": "string", "regex": "^\\\\\\\\d \\"x\\"$"}
    },
    "kind": "collectionType"
}
`,
    );
  });

  it('keeps the text of a renamed attribute', () => {
    const { attributes: all, ...rest } = parsed();
    const text = schemaText({ ...rest, attributes: { c: all.b, a: all.a } }, FOUR, new Map([['c', 'b']]));
    strictEqual(text, `${FOUR.replace('"b": {"type"', '"c": {"type"')}\n`);
  });
});

describe('the merge of two changes', () => {
  it('has both where they concern different attributes', () => {
    const base = { kind: 'x', ...attributes('a', 'b') };
    const theirs = { kind: 'x', ...attributes('a', 'b', 'theirs') };
    const ours = { kind: 'x', options: { draftAndPublish: true }, ...attributes('b', 'ours', 'a') };
    const merged = mergedSchema(base, theirs, ours)!;
    deepStrictEqual(Object.keys(merged['attributes'] as object), ['b', 'theirs', 'ours', 'a']);
    deepStrictEqual(merged['options'], { draftAndPublish: true });
    deepStrictEqual(mergedSchema(base, theirs, { kind: 'x', ...attributes('a') }), {
      kind: 'x',
      ...attributes('a', 'theirs'),
    });
  });

  it('is impossible where they concern the same one', () => {
    const base = attributes('a', 'b', 'c');
    const changed = (more: object) => ({ attributes: { ...base.attributes, a: { type: 'string', ...more } } });
    strictEqual(mergedSchema(base, changed({ required: true }), changed({ unique: true })), undefined);
    strictEqual(mergedSchema(base, changed({ required: true }), attributes('b', 'c')), undefined);
    strictEqual(mergedSchema(base, attributes('b', 'a', 'c'), attributes('c', 'b', 'a')), undefined);
    deepStrictEqual(mergedSchema(base, changed({ min: 1 }), changed({ min: 1 })), changed({ min: 1 }));
  });
});

describe('writing schema files', () => {
  const project = () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'galley-files-'));
    mkdirSync(path.join(dir, 'src/components/a'), { recursive: true });
    writeFileSync(path.join(dir, 'src/components/a/one.json'), 'one');
    chmodSync(path.join(dir, 'src/components/a/one.json'), 0o640);
    return dir;
  };
  const one = { file: 'src/components/a/one.json', before: 'one', after: 'two' };

  it('writes all or none, keeps permissions, and removes empty folders', () => {
    const dir = project();
    const added = { file: 'src/api/b/content-types/b/schema.json', before: null, after: '{}' };
    const wrong = { file: 'src/components/a/two.json', before: 'something', after: 'x' };
    throws(() => writeFiles(dir, [one, added, wrong]), FilesChanged);
    deepStrictEqual(readdirSync(path.join(dir, 'src'), { recursive: true }).sort(), [
      'components',
      'components/a',
      'components/a/one.json',
    ]);
    writeFiles(dir, [one, added]);
    strictEqual(readFileSync(path.join(dir, one.file), 'utf8'), 'two');
    strictEqual(statSync(path.join(dir, one.file)).mode & 0o777, 0o640);
    writeFiles(dir, [{ ...added, before: '{}', after: null }]);
    ok(existsSync(path.join(dir, 'src/api')) && !existsSync(path.join(dir, 'src/api/b')));
    rmSync(dir, { recursive: true });
  });

  it('is finished or taken back from its record, whichever of its files had been written', () => {
    const added = { file: 'src/api/b/content-types/b/schema.json', before: null, after: '{}' };
    for (const isDone of [true, false]) {
      const dir = project();
      const step = recordStep(dir, 'gone', [one, added]);
      deepStrictEqual(unfinishedStep(dir), step);
      writeFileSync(path.join(dir, one.file), 'two');
      mkdirSync(path.join(dir, 'src/api/b/content-types/b'), { recursive: true });
      writeFileSync(path.join(dir, 'src/api/b/content-types/b/.schema.json.0123456789ab.tmp'), '{');
      deepStrictEqual(settleFiles(dir, step, isDone), []);
      strictEqual(readFileSync(path.join(dir, one.file), 'utf8'), isDone ? 'two' : 'one');
      deepStrictEqual(
        readdirSync(path.join(dir, 'src/api'), { recursive: true }).filter((name) => String(name).includes('.')),
        isDone ? ['b/content-types/b/schema.json'] : [],
      );
      strictEqual(existsSync(path.join(dir, 'src/api/b')), isDone);
      writeFileSync(path.join(dir, one.file), 'three');
      deepStrictEqual(settleFiles(dir, step, !isDone), [one.file]);
      strictEqual(existsSync(path.join(dir, 'src/api/b')), isDone);
      endStep(dir);
      strictEqual(unfinishedStep(dir), undefined);
      rmSync(dir, { recursive: true });
    }
  });

  it('refuses paths outside of schema files', () => {
    const dir = project();
    for (const file of [
      'src/index.ts',
      'src/api/../index.json',
      'config/server.json',
      '/etc/passwd',
      'src/api/.env',
      'src/api//a.json',
    ]) {
      throws(() => writeFiles(dir, [{ file, before: null, after: 'x' }]), UnsafePath, file);
    }
    rmSync(dir, { recursive: true });
  });
});
