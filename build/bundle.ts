/**
 * Bundles the program into few files, because most of a start is finding, reading and linking some eight hundred modules.
 * Modules of `import()` stay in files that are read when they are needed.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { ENTRIES } from '../src/own-files.ts';
import { withEscapes } from './escapes.ts';
import { type Group, merge, WRITTEN } from './merge.ts';

/** Packages with machine code, or with files that they find by their own path. They are loaded from node_modules. */
const LEFT_OUT = ['bcrypt', 'better-sqlite3', 'esbuild', 'knex', 'pg-native', 'sharp'];
/** Modules that Fastify requires at once and servers without TLS never use, which would take a tenth of a start. */
const SELDOM_USED = ['http2', 'https'];
/** Modules that take long to load, and whose functions a start does not need. */
const CALLED_LATER = ['fs/promises', '@sindresorhus/slugify', 'mime-types', 'qs'];
/**
 * The files of the bundle: for every command, for the parent of workers, for commands that only read files, for every
 * server, for projects with code, and for each engine.
 */
const LOADED_TOGETHER: readonly Group[] = [
  { name: 'program', modules: ['cli/run', 'cli/start'] },
  { name: 'parent', modules: ['cli/workers/supervisor', 'cli/workers/shares'] },
  { name: 'checks', modules: ['cli/check', 'cli/types'] },
  {
    name: 'server',
    modules: ['cli/alone', 'app', 'users/administrators/administrator-rows', 'content/doctor/orphans'],
  },
  { name: 'code', modules: ['runtime/running'] },
  { name: 'sqlite', modules: ['db/sqlite/driver', 'db/sqlite/schema-engine'] },
  { name: 'postgres', modules: ['db/postgres/driver', 'db/postgres/schema-engine'] },
];

/**
 * Gets Node's own modules by `process.getBuiltinModule` instead of imports. An import reads every export, and some exports
 * are created when they are read: the Web Crypto API of `node:crypto`, a client of 14 MB of `node:http`.
 */
const getNodeModules: Plugin = {
  name: 'get the modules of Node',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /./ }, ({ path, kind }) => {
      if (!isBuiltin(path)) return undefined;
      if (kind === 'dynamic-import') return { external: true };
      return { path: path.replace('node:', ''), namespace: kind === 'import-statement' ? 'names of node' : 'node' };
    });
    // only used exports are kept: copying all names of a module takes longer than loading some modules
    onLoad({ filter: /./, namespace: 'names of node' }, ({ path: name }) => {
      const module = `process.getBuiltinModule('${name}')`;
      const isLater = CALLED_LATER.includes(name);
      const exported = Object.entries(process.getBuiltinModule(name) ?? {}).filter(([key]) => /^\w+$/.test(key));
      const lines = exported.map(([key, value], at) =>
        isLater && typeof value === 'function'
          ? `const n${at} = (...args) => ${module}.${key}(...args);`
          : `const n${at} = /* @__PURE__ */ (() => all.${key})();`,
      );
      const names = exported.map(([key], at) => `n${at} as ${key}`);
      const all = `const all = /* @__PURE__ */ ${module};`;
      return { contents: `${all}\n${lines.join('\n')}\nexport { all as default, ${names.join(', ')} };` };
    });
    onLoad({ filter: /./, namespace: 'node' }, ({ path: name }) => {
      const module = `process.getBuiltinModule('${name}')`;
      const later = `new Proxy({}, { get: (_, key) => ${module}[key] })`;
      return { contents: `module.exports = ${SELDOM_USED.includes(name) ? later : module};` };
    });
  },
};

/** Loads some packages when one of their functions is called. */
const loadLater: Plugin = {
  name: 'load packages when they are called',
  setup: ({ onResolve, onLoad, initialOptions: { absWorkingDir: resolveDir = '' } }) => {
    onResolve({ filter: /^[@a-z]/ }, ({ path, kind, namespace }) =>
      kind === 'import-statement' && CALLED_LATER.includes(path) && namespace === 'file'
        ? { path, namespace: 'later' }
        : undefined,
    );
    onLoad({ filter: /./, namespace: 'later' }, async ({ path: name }) => {
      const exported = Object.entries(await import(name)).filter(([, value]) => typeof value === 'function');
      const functions = exported.map(([key], at) => [`f${at}`, key] as const);
      const lines = functions.map(([f, key]) => `const ${f} = (...args) => require('${name}').${key}(...args);`);
      const names = functions.map(([f, key]) => `${f} as ${key}`);
      return { contents: `${lines.join('\n')}\nexport { ${names.join(', ')} };`, resolveDir };
    });
  },
};

/**
 * Makes the router compare short pieces of paths like long ones. Otherwise it compiles a function for each of some hundred,
 * which takes twenty times as long as comparing them in as many requests.
 */
const compareRoutes: Plugin = {
  name: 'compare routes without compiling',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]find-my-way[\\/]lib[\\/]node\.js$/ }, ({ path: file }) => {
      const [before, behind] = readFileSync(file, 'utf8').split('LONG_PREFIX_MIN_LENGTH = 16');
      if (behind === undefined)
        throw new Error('find-my-way has changed how it compares paths: check whether it still compiles functions');
      return { contents: `${before}LONG_PREFIX_MIN_LENGTH = 2${behind}` };
    });
  },
};

/** Gives `import()` of a CommonJS package the same names as in Node; esbuild would only give the default. */
const nameExports: Plugin = {
  name: 'name what packages export',
  setup: ({ onResolve, onLoad, initialOptions: { absWorkingDir: resolveDir = '' } }) => {
    onResolve({ filter: /^[@a-z]/ }, ({ path, kind }) =>
      kind === 'dynamic-import' && !LEFT_OUT.includes(path) ? { path, namespace: 'package' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'package' }, async ({ path: name }) => {
      const names = Object.keys(await import(name)).filter((exported) => /^\w+$/.test(exported));
      return { contents: `export { ${names.join(', ')} } from '${name}';`, resolveDir };
    });
  },
};

/** Bundles the program below `root` into a folder, with the licences of the packages that are part of it. */
export async function bundle(root: string, to: string): Promise<void> {
  const program = await bundleEntries(root, to, ['main', 'app']);
  await merge(root, program.outputs, LOADED_TOGETHER, 'main');
  // other processes have files of their own, because merged files contain more than they need; as an entry, own-files.ts
  // stays in a file beside the program
  const others = await bundleEntries(root, to, [...ENTRIES.slice(1), 'own-files']);
  const inputs = { ...program.inputs, ...others.inputs };
  writeFileSync(path.join(to, 'LICENSES.txt'), licencesOf({ inputs }, root));
  const files = readdirSync(to, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
  for (const file of files) escapeLetters(path.join(to, file));
}

function escapeLetters(file: string): void {
  const text = readFileSync(file, 'utf8');
  const escaped = withEscapes(text, file);
  if (escaped !== text) writeFileSync(file, escaped);
}

async function bundleEntries(root: string, to: string, entries: readonly string[]): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => `src/${entry}.ts`),
    outbase: 'src',
    outdir: to,
    // beside the program, because own-files.ts uses its own path
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    external: LEFT_OUT,
    plugins: [getNodeModules, loadLater, compareRoutes, nameExports],
    ...WRITTEN,
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

/** The licence section of a README, for a package without a licence file. */
function licenceIn(files: readonly string[]): string {
  const readme = files.find((file) => /^readme/i.test(path.basename(file)));
  return (readme && /^#+ *licen[cs]e.*/ims.exec(readFileSync(readme, 'utf8'))?.[0]) ?? '';
}

/** The licences of all packages in a bundle, with their texts. */
function licencesOf({ inputs }: Pick<Metafile, 'inputs'>, root: string): string {
  const folders = Object.keys(inputs).flatMap(
    (file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [],
  );
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
    const files = readdirSync(path.join(root, folder)).map((file) => path.join(root, folder, file));
    const own = files.filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(path.basename(file)));
    const text = own.map((file) => readFileSync(file, 'utf8').trim()).join('\n\n') || licenceIn(files);
    return `${name} ${version} (${license})\n\n${text}`.trim();
  });
  return `Galley contains these packages.\n\n${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
