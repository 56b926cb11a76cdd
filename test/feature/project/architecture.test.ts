/** Enforces the structure of the source: which module imports which, and where an engine may be named. */
import { deepStrictEqual } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { ENTRIES } from '../../../src/own-files.ts';
import { reportSizes } from '../../support/size-report.ts';

const SRC = path.join(import.meta.dirname, '../../../src');

/** What other modules may know of the database, without knowing an engine. */
const DATABASE_INTERFACE = 'db/interface/';
/** May be imported by every file. */
const FREE = new Set([
  'byte-lines.ts',
  'chain.ts',
  'counted.ts',
  'errors.ts',
  'failures.ts',
  'heap.ts',
  'hidden-field.ts',
  'lifespan.ts',
  'log-counts.ts',
  'log-line.ts',
  'log-text.ts',
  'lru-cache.ts',
  'sleep.ts',
  'locale-codes.ts',
  'nearest.ts',
  'node-http.ts',
  'own-files.ts',
  'package-file.ts',
  'plain-values.ts',
  'project-folder.ts',
  'processor-time.ts',
  'reasons.ts',
  'secret-texts.ts',
  'semaphore.ts',
  'spare-room.ts',
  'config/config.ts',
]);

/** Room → what its files may import besides their own room: rooms, folders that end in a slash, or single files. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'byte-lines.ts': [],
  'chain.ts': [],
  'counted.ts': [],
  'errors.ts': [],
  'failures.ts': [],
  'heap.ts': [],
  'hidden-field.ts': [],
  'lifespan.ts': [],
  'log-counts.ts': [],
  'log-line.ts': [],
  'log-text.ts': [],
  'lru-cache.ts': [],
  'sleep.ts': [],
  'locale-codes.ts': ['nearest.ts'],
  'nearest.ts': [],
  'node-http.ts': [],
  'own-files.ts': [],
  'package-file.ts': [],
  'plain-values.ts': [],
  'project-folder.ts': [],
  'processor-time.ts': [],
  'reasons.ts': [],
  'secret-texts.ts': [],
  'semaphore.ts': [],
  'spare-room.ts': [],
  config: [],
  schema: [],
  query: [],
  access: ['schema', 'query'],
  plan: ['schema', 'query', 'access'],
  sql: ['schema', 'query', 'plan'],
  db: ['schema', 'plan', 'sql'],
  content: ['schema', 'query', 'access', 'plan', 'sql', DATABASE_INTERFACE],
  media: ['schema', 'query', 'access', 'plan', 'content', 'sql', DATABASE_INTERFACE],
  users: ['schema', 'query', 'access', 'content', 'sql', DATABASE_INTERFACE],
  releases: [
    'schema',
    'query',
    'access',
    'content',
    'users',
    'events',
    'history',
    'schedule',
    'sql',
    DATABASE_INTERFACE,
  ],
  events: ['schema', 'query', 'access', 'content', 'users', 'sql', DATABASE_INTERFACE],
  history: ['schema', 'query', 'access', 'plan', 'sql', 'content', 'media', DATABASE_INTERFACE],
  schedule: ['schema', 'query', 'access', 'content', 'users', 'events', 'sql', DATABASE_INTERFACE],
  audit: ['schema', 'content', 'users', 'events', 'sql', DATABASE_INTERFACE],
  review: ['schema', 'query', 'access', 'content', 'users', 'events', 'sql', DATABASE_INTERFACE],
  transfer: ['schema', 'sql', 'content', 'media', 'events', 'history', 'db/migration/', DATABASE_INTERFACE],
  backup: ['schema', 'sql', 'media', 'transfer', DATABASE_INTERFACE],
  rows: ['schema', 'query', 'access', 'content', 'history', 'sql', DATABASE_INTERFACE],
  runtime: [
    'config/ignored-settings.ts',
    'config/environment.ts',
    'config/modules/tsconfig.ts',
    'config/modules/resolver.ts',
    'config/modules/loader.ts',
    'config/modules/resolver.ts',
    'sql',
    'schema',
    'query',
    'access',
    'content',
    'media',
    'users',
    'events',
    'history',
    'schedule',
    DATABASE_INTERFACE,
  ],
  http: [
    'schema',
    'query',
    'access',
    'plan',
    'sql',
    'content',
    'media',
    'users',
    'events',
    'releases',
    'history',
    'schedule',
    'audit',
    'review',
    'rows',
    'runtime',
    DATABASE_INTERFACE,
  ],
  // A command opens a project through the composition root, as main.ts does.
  cli: [
    'config',
    'schema',
    'query',
    'access',
    'plan',
    'sql',
    'content',
    'media',
    'users',
    'events',
    'releases',
    'history',
    'schedule',
    'audit',
    'transfer',
    'rows',
    'runtime',
    'http',
    'app.ts',
    'backups.ts',
    'doctor.ts',
    'engine.ts',
    'new-secrets.ts',
    'open-database.ts',
    'project.ts',
    'schema-editor.ts',
    'schema-holds.ts',
    'schema-migration.ts',
    'db',
  ],
};
/** The composition roots, which may import everything. */
const roots = new Set([
  ...[
    'app.ts',
    'backups.ts',
    'doctor.ts',
    'doctor-runs.ts',
    'engine.ts',
    'new-secrets.ts',
    'open-database.ts',
    'project.ts',
    'scheduled-backups.ts',
    'schema-editor.ts',
    'schema-effects.ts',
    'schema-holds.ts',
    'schema-migration.ts',
    'main.ts',
  ],
]);
const engineRooms = new Set(['db', 'config', 'engine.ts', 'open-database.ts', 'own-files.ts', 'cli']);
const sqlRooms = new Set(['sql', 'db']);

/** The beginning of a literal that is a statement, rather than a message that begins with such a word. */
const STATEMENT =
  /['"`]\s*(?:select\s+(?:distinct\s|\d|["*]|\$\{|\w+\()|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|(?:create|alter|drop)\s+(?:table|(?:unique\s+)?index)\s|pragma\s)/i;
/** Imports and exports of something from `sql/fragment.ts`: `type` behind the keyword, and the names. */
const FRAGMENT = /^(?:import|export)\s*(type\b)?([^;]*?)from\s*['"][^'"\n]*sql\/fragment\.ts['"]/gm;

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll(path.sep, '/'))
  .filter((file) => file.endsWith('.ts'))
  .sort();
const textOf = new Map(files.map((file) => [file, readFileSync(path.join(SRC, file), 'utf8')]));
const roomOf = (file: string): string => file.split('/')[0]!;

/** Paths below `src` of the files that `file` imports, in whatever form. */
function importsOf(file: string): string[] {
  const text = textOf.get(file)!;
  const specifiers = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*(['"])(\.[^'"\n]*)\1/g);
  return [...specifiers].map((match) => path.posix.join(path.posix.dirname(file), match[2]!));
}

/** What loads a file when it is loaded itself: neither types nor `import()`. */
const LOADED = /^(?:import|export)\s+(?!type\b)(?:[\w*{][^;'"=]*?\bfrom\s*)?['"]([^'"\n]+)['"]/gm;

/** Paths below `src` of the files that are loaded with a file, itself included, and the packages that they load. */
function loadedWith(start: string): string[] {
  const loaded = new Set([start]);
  // the set grows while it is gone through
  for (const file of loaded) {
    const imports = (textOf.get(file) ?? '').matchAll(LOADED);
    for (const [, to] of imports)
      loaded.add(to!.startsWith('.') ? path.posix.join(path.posix.dirname(file), to!) : to!);
  }
  return [...loaded].filter((name) => !name.startsWith('node:'));
}

/** The nodes of one chain that ends where it began; empty when the graph below a node has none. */
function cycleFrom(start: string, nextOf: (node: string) => Iterable<string>, done: Set<string>): string[] {
  const chain: string[] = [];
  const visit = (node: string): string[] => {
    const at = chain.indexOf(node);
    if (at >= 0) return [...chain.slice(at), node];
    if (done.has(node)) return [];
    chain.push(node);
    for (const next of nextOf(node)) {
      const cycle = visit(next);
      if (cycle.length) return cycle;
    }
    chain.pop();
    done.add(node);
    return [];
  };
  return visit(start);
}

/** All cycles that a search from each node in turn meets first. */
function cyclesOf(nodes: Iterable<string>, nextOf: (node: string) => Iterable<string>): string[][] {
  const done = new Set<string>();
  return [...nodes].map((node) => cycleFrom(node, nextOf, done)).filter((cycle) => cycle.length > 0);
}

/** The folders within a folder, with the other ones that the files of each import. */
function folderImports(parent: string): Map<string, Set<string>> {
  const folderOf = (file: string) => (file.startsWith(`${parent}/`) ? file.split('/').slice(0, -1)[1] : undefined);
  const imports = new Map<string, Set<string>>();
  for (const file of files) {
    const folder = folderOf(file);
    if (folder === undefined) continue;
    const others = importsOf(file)
      .map(folderOf)
      .filter((other) => other !== undefined && other !== folder);
    imports.set(folder, new Set([...(imports.get(folder) ?? []), ...(others as string[])]));
  }
  return imports;
}

describe('the source tree', () => {
  it('has modules of the table only', () => {
    const unknown = files.filter((file) => !(roomOf(file) in allowed) && !roots.has(file));
    deepStrictEqual(unknown, []);
  });

  it('imports downwards only, types included', () => {
    const wrong: string[] = [];
    for (const file of files) {
      if (roots.has(file)) continue;
      const room = roomOf(file);
      const may = new Set([room, ...(allowed[room] ?? [])]);
      for (const target of importsOf(file)) {
        if (FREE.has(target) || may.has(roomOf(target)) || may.has(`${path.posix.dirname(target)}/`) || may.has(target))
          continue;
        wrong.push(`${file} imports ${target}`);
      }
    }
    deepStrictEqual(wrong, []);
  });

  it('names the folder of a database engine in open-database.ts alone', () => {
    const engines = files.filter((file) => /^db\/[^/]+\/dialect\.ts$/.test(file)).map(path.posix.dirname);
    deepStrictEqual(engines, ['db/postgres', 'db/sqlite']);
    const isOfEngine = (to: string) => engines.some((engine) => to.startsWith(`${engine}/`));
    const wrong = files.filter(
      (file) => file !== 'open-database.ts' && roomOf(file) !== 'db' && importsOf(file).some(isOfEngine),
    );
    deepStrictEqual(wrong, []);
  });

  it('imports files that exist', () => {
    const missing = files.flatMap((file) => importsOf(file).filter((target) => !textOf.has(target)));
    deepStrictEqual(missing, []);
  });

  it('loads nothing of the server in the parent of several workers, which serves nothing', () => {
    const parts = ['cli/run.ts', 'cli/start.ts', 'cli/workers/shares.ts', 'cli/workers/supervisor.ts'];
    const mayLoad = /^(?:cli|config|media\/images)\/|^(?:errors|own-files)\.ts$/;
    const single = [
      'http/monitoring/prometheus.ts',
      'http/protocol/rate-limit.ts',
      'lifespan.ts',
      'log-counts.ts',
      'log-line.ts',
      'log-text.ts',
      'media/failures.ts',
      'locale-codes.ts',
      'nearest.ts',
      'package-file.ts',
      'plain-values.ts',
      'reasons.ts',
      'secret-texts.ts',
      'users/administrators/first-token.ts',
    ];
    const loaded = new Set(parts.flatMap(loadedWith));
    deepStrictEqual(
      [...loaded].filter((name) => !mayLoad.test(name) && !single.includes(name)),
      [],
    );
  });

  it('resolves its own files in one module, since compiled code is bundled', () => {
    const PLACE = /import\.meta\.(?:dirname|filename|resolve)|(?<!createRequire\()import\.meta\.url/;
    const STARTED = /new Worker\((?!entryFile\()|(?<!cluster\.)\bfork\((?!entryFile\()/;
    const asking = files.filter((file) => {
      const code = textOf.get(file)!.replaceAll(/'[^'\n]*'/g, "''");
      return PLACE.test(code) || STARTED.test(code);
    });
    deepStrictEqual(asking, ['main.ts', 'own-files.ts']);
    deepStrictEqual(
      ENTRIES.filter((entry) => !textOf.has(`${entry}.ts`)),
      [],
    );
  });

  it('does not import the HTTP modules of Node, which would load a client and WebSockets', () => {
    const IMPORT = /^import (?!type\b)[^;]*from 'node:https?'/m;
    deepStrictEqual(
      files.filter((file) => IMPORT.test(textOf.get(file)!)),
      [],
    );
  });

  it('loads the tools of migrations when one is pending, and not for a file', () => {
    deepStrictEqual(
      files.filter((file) => loadedWith(file).some((name) => /^knex\b/.test(name))),
      [],
    );
  });

  it('has no cycle of imports between files', () => {
    deepStrictEqual(
      cyclesOf(files, (file) => importsOf(file).filter((target) => textOf.has(target))),
      [],
    );
  });

  it('has no cycle of imports between the folders of content', () => {
    const imports = folderImports('content');
    deepStrictEqual(
      cyclesOf(imports.keys(), (folder) => imports.get(folder)!),
      [],
    );
  });

  it('mentions an engine only where engines are at home', () => {
    const wrong = files.filter((file) => !engineRooms.has(roomOf(file)) && /sqlite|postgres/i.test(textOf.get(file)!));
    deepStrictEqual(wrong, []);
  });

  it('writes SQL in sql and db alone', () => {
    const above = files.filter((file) => !sqlRooms.has(roomOf(file)));
    deepStrictEqual(
      above.filter((file) => STATEMENT.test(textOf.get(file)!)),
      [],
    );
    // the tag, and whatever else makes fragments: rooms above know their types only
    const makers = above.filter((file) => {
      const text = textOf.get(file)!;
      if (/import\s*\(\s*['"][^'"\n]*sql\/fragment\.ts/.test(text)) return true;
      return [...text.matchAll(FRAGMENT)].some(
        ([, type, names]) =>
          !type &&
          names!
            .replaceAll(/[{}]/g, '')
            .split(',')
            .some((name) => !/^\s*(?:type\s|$)/.test(name)),
      );
    });
    deepStrictEqual(makers, []);
  });

  it('reports long files and full folders', (test) => {
    reportSizes(test, SRC, files);
  });

  it('has no barrel and no drawer for odds and ends', () => {
    const odd = files.filter((file) => /(^|\/)(utils?|helpers?|misc|index)(\.ts$|\/)/.test(file));
    deepStrictEqual(odd, []);
  });

  it('has file names in kebab case', () => {
    deepStrictEqual(
      files.filter((file) => !/^([a-z0-9-]+\/)*[a-z0-9-]+(\.d)?\.ts$/.test(file)),
      [],
    );
  });
});
