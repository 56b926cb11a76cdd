/**
 * Merges files of a bundle that are loaded together. The many `import()` split a bundle into more than a hundred files, and
 * finding, reading and linking a file takes as long as running it.
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

/** The format of the bundle: short, which saves two thirds of the reading time, with lines that can be displayed. */
export const WRITTEN = {
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 200,
  sourcemap: 'linked',
  sourcesContent: false,
} as const;

type Outputs = Metafile['outputs'];

/** A merged file: its name, and the modules below `src` that it contains with all of their imports. */
export interface Group {
  readonly name: string;
  readonly modules: readonly string[];
}

interface Merging {
  readonly folder: string;
  readonly outputs: Outputs;
  /** The file that contains each merged file, and the names of its exports there. */
  readonly merged: Map<string, { into: string; names: ReadonlyMap<string, string> }>;
}

/**
 * Merges the files of each group into one, in this order: a file belongs to the first group that needs it, and later
 * groups import it from there. A merged file that others still import re-exports from the group.
 *
 * @param root the folder to which names of outputs are relative.
 * @param apart the module whose file, and all of its imports, stay as they are.
 */
export async function merge(root: string, outputs: Outputs, groups: readonly Group[], apart: string): Promise<void> {
  const folder = path.join(root, path.dirname(fileOf(outputs, apart)));
  const merging: Merging = { folder, outputs, merged: new Map() };
  const separate = loadedWith(outputs, [fileOf(outputs, apart)]);
  for (const { name, modules } of groups) {
    const files = [
      ...loadedWith(
        outputs,
        modules.map((module) => fileOf(outputs, module)),
      ),
    ];
    await mergeGroup(
      merging,
      name,
      files.filter((file) => !separate.has(file) && !merging.merged.has(file)),
    );
  }
  const wanted = new Set(Object.keys(outputs).flatMap((file) => stillImported(merging, file)));
  for (const [file, { into, names }] of merging.merged) {
    const { entryPoint } = outputs[file]!;
    rmSync(path.join(root, `${file}.map`));
    if (!wanted.has(file) && entryPoint === undefined) rmSync(path.join(root, file));
    else writeFileSync(path.join(root, file), reExports(names, into));
  }
}

/** The output file of a module below `src`. */
function fileOf(outputs: Outputs, module: string): string {
  const output = Object.keys(outputs).find((file) => outputs[file]!.entryPoint === `src/${module}.ts`);
  if (output === undefined) throw new Error(`no module imports ${module} by import()`);
  return output;
}

/** Some files and everything that they import, importers first. */
function loadedWith(outputs: Outputs, files: readonly string[]): ReadonlySet<string> {
  const loaded = new Set(files);
  for (const file of loaded) for (const { path } of importsOf(outputs, file, 'import-statement')) loaded.add(path);
  return loaded;
}

const importsOf = (outputs: Outputs, file: string, kind: string) =>
  outputs[file]!.imports.filter((imported) => imported.kind === kind && outputs[imported.path] !== undefined);

/** The files that a file still imports after the merge. */
function stillImported({ outputs, merged }: Merging, file: string): readonly string[] {
  const imported = importsOf(outputs, file, 'dynamic-import');
  return [...imported, ...(merged.has(file) ? [] : importsOf(outputs, file, 'import-statement'))].map(
    ({ path }) => path,
  );
}

async function mergeGroup({ folder, outputs, merged }: Merging, name: string, files: readonly string[]): Promise<void> {
  const into = `./${name}.js`;
  const own = new Map(
    files.map((file, at) => {
      const names = outputs[file]!.exports.map((exported) => [exported, `${exported}_${at}`] as const);
      return [path.basename(file), new Map(names)] as const;
    }),
  );
  const earlier = new Map([...merged].map(([file, place]) => [path.basename(file), place]));
  const findFiles: Plugin = {
    name: 'find the files of the group',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /./ }, ({ path: wanted, kind }) => {
        const base = path.basename(wanted);
        if (kind === 'dynamic-import' || !wanted.startsWith('.')) return { path: wanted, external: true };
        if (own.has(base)) return { path: path.join(folder, base) };
        return earlier.has(base) ? { path: base, namespace: 'earlier' } : { path: wanted, external: true };
      });
      onLoad({ filter: /./, namespace: 'earlier' }, ({ path }) => {
        const { into, names } = earlier.get(path)!;
        return { contents: reExports(names, into) };
      });
    },
  };
  const contents = Array.from(own, ([file, names]) =>
    reExports(new Map([...names].map(([a, b]) => [b, a])), `./${file}`),
  );
  await build({
    stdin: { contents: contents.join(''), resolveDir: folder },
    outfile: path.join(folder, into),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    plugins: [findFiles],
    ...WRITTEN,
    logLevel: 'warning',
  });
  for (const file of files) merged.set(file, { into, names: own.get(path.basename(file))! });
}

/** The text of a module that re-exports another one under other names. */
function reExports(names: ReadonlyMap<string, string>, from: string): string {
  const list = Array.from(names, ([name, there]) => `${there} as ${name}`);
  return list.length === 0 ? `import '${from}';\n` : `export { ${list.join(', ')} } from '${from}';\n`;
}
