/** `galley types`: what it writes types a program that embeds the server. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { runCommandLine } from '../../../src/cli/run.ts';
import {
  CONFORMANCE_DIR,
  contentType,
  copyProject,
  makeProject,
  type ProjectFolder,
} from '../../support/servers/project.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const execute = promisify(execFile);

const relation = (target: string) => ({ type: 'relation', relation: 'manyToOne', target });

const CONFIGURATION = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    types: ['node'],
    paths: { galley: [path.join(ROOT, 'src/app.ts')] },
  },
  files: ['good.ts', 'bad.ts', 'galley.d.ts'],
};

const START = `import { openProject } from 'galley';
const app = await openProject('.');
const articles = app.documents('api::article.article');
`;

const GOOD = `
const made = await articles.create({
  data: {
    title: 'One',
    kind: 'news',
    big: 9007199254740993n,
    at: new Date(),
    tags: { connect: [{ documentId: 'x', position: { end: true } }] },
    links: [{ label: 'a' }],
    zone: [{ __component: 'blocks.quote', text: 'q' }],
    secret: 'word',
  },
  status: 'published',
});
const title: string | null = made.title;
const found = await articles.findMany({
  filters: { $or: [{ views: { $gt: 3 } }, { title: 'One' }], author: { name: 'Ann' } },
  fields: ['title', 'publishedAt'],
  populate: { tags: { fields: ['name'] }, zone: true },
  sort: ['title:asc'],
  locale: '*',
});
for (const { tags, zone, kind } of found) {
  const names: (string | null)[] = (tags ?? []).map((tag) => tag.name);
  for (const part of zone ?? []) if (part.__component === 'blocks.quote') names.push(part.text);
  if (kind === 'review') names.push(kind);
}
const { entries } = await app.documents('api::homepage.homepage').publish({ documentId: 'x' });
console.log(title, entries[0]?.headline, (await app.documents('plugin::upload.file').count()) + 1);
`;

/** Statements that must not compile, with the word that the message names. */
const BAD: readonly (readonly [string, RegExp])[] = [
  [`await articles.create({ data: { titel: 'One' } });`, /titel/],
  [`await articles.create({ data: { title: 1 } });`, /number/],
  [`await articles.create({ data: { kind: 'poem' } });`, /poem/],
  [`await articles.create({ data: { zone: [{ __component: 'shared.venue' }] } });`, /shared\.venue/],
  [`await articles.findMany({ fields: ['secret'] });`, /secret/],
  [`await articles.findMany({ filters: { titel: 'One' } });`, /titel/],
  [`(await articles.findFirst())?.hidden;`, /hidden/],
  [`app.documents('api::article.articel');`, /articel/],
];

describe('galley types', () => {
  let folder: ProjectFolder;
  /** What the compiler says of both programs, a line each. */
  let told: readonly string[];
  const printed: string[] = [];
  const surroundings = { env: {}, print: (line: string) => void printed.push(line), warn: () => {} };

  before(async () => {
    folder = await copyProject(CONFORMANCE_DIR);
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder.dir, 'node_modules'));
    await writeFile(path.join(folder.dir, 'package.json'), '{"type":"module"}');
    strictEqual(await runCommandLine(['types', folder.dir], surroundings), 0);
    await writeFile(path.join(folder.dir, 'good.ts'), START + GOOD);
    await writeFile(path.join(folder.dir, 'bad.ts'), START + BAD.map(([statement]) => statement).join('\n'));
    await writeFile(path.join(folder.dir, 'tsconfig.json'), JSON.stringify(CONFIGURATION));
    // both at once: nearly all that the compiler does is to read the server's own types
    const compiler = [path.join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder.dir];
    const failed = await execute(process.execPath, compiler).then(
      () => undefined,
      (error: { readonly stdout: string }) => error,
    );
    told = failed === undefined ? [] : failed.stdout.split('\n').filter((line) => line !== '');
  });
  after(() => folder?.remove());

  it('declares types of read and written values', () => {
    // a line that is set in belongs to the one before it
    const others = told.filter((line) => !/^\s|bad\.ts\(/.test(line));
    deepStrictEqual(others, []);
  });

  it('refuses names and values that the schema does not have, each by its place', () => {
    const first = START.split('\n').length;
    BAD.forEach(([statement, message], index) => {
      const lines = told.filter((line) => line.includes(`bad.ts(${first + index},`)).join('\n');
      match(lines, message, statement);
    });
  });

  it('distinguishes private attributes, by the schema and by config/api', async () => {
    const text = { type: 'string' };
    const project = await makeProject({
      contentTypes: {
        note: contentType('note', { text, mark: { ...text, private: true }, tag: relation('api::tag.tag') }),
        tag: contentType('tag', { name: text }),
      },
      files: { 'config/api.json': JSON.stringify({ responses: { privateAttributes: ['createdAt', 'name'] } }) },
    });
    try {
      printed.length = 0;
      strictEqual(await runCommandLine(['types', project.dir, '--out', '-'], surroundings), 0);
      const of = (name: string) =>
        new RegExp(`interface ${name} (?:extends \\w+ )?\\{\\n([^}]*)\\}`).exec(printed.join('\n'))![1];
      const lines = (...all: string[]) => all.map((line) => `  ${line};\n`).join('');
      const shown = ['id: number', 'documentId: string'];
      const times = ['updatedAt: string', 'publishedAt: string | null'];
      strictEqual(of('NoteDocument'), lines(...shown, 'text: string | null', 'tag?: TagDocument | null', ...times));
      strictEqual(of('NoteWhole'), lines('mark: string | null', 'tag?: TagWhole | null', 'createdAt: string'));
      strictEqual(of('TagDocument'), lines(...shown, ...times));
      strictEqual(of('TagWhole'), lines('name: string | null', 'createdAt: string'));
      match(of('NoteInput')!, /mark\?: string \| null;/);
    } finally {
      await project.remove();
    }
  });

  it('writes to stdout if requested', async () => {
    strictEqual(await runCommandLine(['types', folder.dir, '--out', '-'], surroundings), 0);
    match(printed.join('\n'), /^ {4}"api::tag\.tag": \{ output: TagDocument; input: TagInput; whole: TagWhole \};$/m);
  });
});
