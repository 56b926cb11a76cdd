/** What `npm run build -w admin` makes: small, named by contents, compressed, and nothing that a strict policy forbids. */
import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { de } from '../../../admin/src/language/de.ts';
import { en } from '../../../admin/src/language/en.ts';
import { enTypes } from '../../../admin/src/language/en-types.ts';
import { reportSizes } from '../../support/size-report.ts';

const ADMIN = path.join(import.meta.dirname, '../../../admin');
const DIST = path.join(ADMIN, 'dist');
/** Bytes (gzip) before the first useful screen, the font with them. */
const BUDGET = 300e3;

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
}

ok(existsSync(path.join(DIST, 'manifest.json')), 'the administration app is built: npm run build -w admin');
const manifest = JSON.parse(readFileSync(path.join(DIST, 'manifest.json'), 'utf8')) as Readonly<Record<string, Chunk>>;
const page = readFileSync(path.join(DIST, 'index.html'), 'utf8');

/** All files that are fetched with a chunk: itself, what it imports, and their stylesheets. */
function filesOf(name: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[name]!;
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const css of chunk.css ?? []) found.add(css);
  for (const next of chunk.imports ?? []) filesOf(next, found);
  return found;
}

describe('the built administration app', () => {
  for (const first of ['src/pages/home/home.tsx', 'src/pages/list/list.tsx', 'src/pages/signed-out/sign-in.tsx']) {
    it(`takes less than ${BUDGET / 1e3} kB before the first useful screen (${path.basename(first, '.tsx')})`, () => {
      const files = new Set([...filesOf('index.html'), ...filesOf(first)]);
      for (const [, font] of page.matchAll(/href="\/admin\/([^"]+\.woff2)"/g)) files.add(font!);
      ok([...files].some((file) => file.endsWith('.woff2')));
      const sizes = [...files].map((file) => [gzipSync(readFileSync(path.join(DIST, file))).length, file] as const);
      const total = sizes.reduce((sum, [size]) => sum + size, 0);
      ok(total > 50e3, 'it was measured');
      ok(total < BUDGET, `${total} bytes:\n${sizes.sort(([a], [b]) => b - a).join('\n')}`);
    });
  }

  it('loads pages on demand', () => {
    const entry = filesOf('index.html');
    const pages = Object.keys(manifest).filter((name) => name.startsWith('src/pages/'));
    ok(pages.length >= 5);
    for (const name of pages) ok(!entry.has(manifest[name]!.file), `${name} is a chunk of its own`);
  });

  it('keeps code for pictures and tests in files of its own, which are not packed', () => {
    const reached = (name: string, found = new Set<string>()): Set<string> => {
      if (found.has(name)) return found;
      found.add(name);
      const { imports = [], dynamicImports = [] } = manifest[name]!;
      for (const next of [...imports, ...dynamicImports]) reached(next, found);
      return found;
    };
    const shipped = reached('index.html');
    const others = [...reached('samples.html')].filter((name) => !shipped.has(name)).map((name) => manifest[name]!);
    const files = others.flatMap(({ file, css = [] }) => [file, ...css]);
    ok(files.length > 2);
    deepStrictEqual(
      [...files].filter((file) => !file.startsWith('assets/samples/')),
      [],
    );
    deepStrictEqual(
      [...shipped].filter((name) => manifest[name]!.file.startsWith('assets/samples/')),
      [],
    );
  });

  it('has no script, style or address in the page that the policy would refuse', () => {
    doesNotMatch(page, /<style|\sstyle=|\son\w+=/i);
    for (const [, attributes, inside] of page.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)) {
      match(attributes!, /\ssrc="\/admin\/assets\/[^"]+"/);
      strictEqual(inside, '');
    }
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    ok(addresses.length > 3);
    deepStrictEqual(
      addresses.filter((address) => !address.startsWith('/admin/assets/')),
      [],
    );
  });

  it('names every file by its contents, so that it can be cached for ever', () => {
    const names = readdirSync(path.join(DIST, 'assets'));
    deepStrictEqual(
      names.filter((name) => name !== 'samples' && !/-[\w-]{8}\.(?:js|css|svg|woff2)(?:\.br|\.gz)?$/.test(name)),
      [],
    );
  });

  it('finds its own files wherever it is served from', () => {
    for (const name of readdirSync(path.join(DIST, 'assets')).filter((file) => /\.(?:js|css)$/.test(file))) {
      doesNotMatch(readFileSync(path.join(DIST, 'assets', name), 'utf8'), /["'(]\/admin\//, name);
    }
  });

  it('lies compressed beside itself', () => {
    const texts = [...readdirSync(path.join(DIST, 'assets')).map((name) => `assets/${name}`), 'index.html']
      .filter((name) => /\.(?:js|css|html)$/.test(name))
      .map((name) => path.join(DIST, name))
      .filter((file) => statSync(file).size > 1024);
    ok(texts.length > 5);
    for (const file of texts) {
      const plain = readFileSync(file);
      deepStrictEqual(brotliDecompressSync(readFileSync(`${file}.br`)), plain);
      deepStrictEqual(gunzipSync(readFileSync(`${file}.gz`)), plain);
    }
  });
});

describe('the words of the administration app', () => {
  it('take the same values in every language', () => {
    const values = (message: unknown): readonly string[] =>
      [...new Set([...JSON.stringify(message).matchAll(/\{(\w+)\}/g)].map(([, name]) => name!))].sort();
    const english = { ...en, ...enTypes };
    const wrong = (Object.keys(english) as (keyof typeof english)[]).filter(
      (key) => values(english[key]).join() !== values(de[key]).join(),
    );
    deepStrictEqual(wrong, []);
  });
});

describe('the sources of the administration app', () => {
  /** Folders, each of which may import those before it and itself. */
  const ROOMS = ['data', 'keys', 'language', 'ui', 'app', 'media', 'form', 'pages', 'samples'];
  const SRC = path.join(ADMIN, 'src');
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));

  it('import downwards only', () => {
    const wrong: string[] = [];
    for (const file of files) {
      const room = ROOMS.indexOf(file.split('/')[0]!);
      if (room < 0) continue;
      const text = readFileSync(path.join(SRC, file), 'utf8');
      // the table of addresses alone knows the pages
      for (const [, target] of text.matchAll(/from\s+'(\.[^']+)'/g)) {
        const to = ROOMS.indexOf(path.join(path.dirname(file), target!).split('/')[0]!);
        if (to > room) wrong.push(`${file} imports ${target}`);
      }
    }
    deepStrictEqual(wrong, []);
  });

  it('report long files and full folders', (test) => {
    reportSizes(test, SRC, files);
  });

  it('are typed against the contract by name only: nothing of it is in the scripts', () => {
    for (const file of files) {
      const text = readFileSync(path.join(SRC, file), 'utf8');
      doesNotMatch(text, /^import (?!type)[^;]*\/contract\//m, file);
    }
  });
});
