/** Programs in the TypeScript compiler: its diagnostics, and completions of an editor. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');

/** The package of a compiler: the one that this project is checked with, or the one that projects of Strapi have. */
export type CompilerName = 'typescript' | 'typescript-5';

/** What a compiler says of a program, by file and line; lines that are set in belong to the one before. */
export async function mistakesOf(compiler: CompilerName, dir: string): Promise<ReadonlyMap<string, string>> {
  const args = [path.join(ROOT, 'node_modules', compiler, 'bin/tsc'), '-p', dir, '--noEmit', '--pretty', 'false'];
  const output = await new Promise<string>((resolve, reject) =>
    execFile(process.execPath, args, { cwd: dir, maxBuffer: 1 << 24 }, (error, stdout) =>
      // it ends with another code where it was not run
      error && ![1, 2].includes(Number(error.code)) ? reject(error) : resolve(stdout),
    ),
  );
  const told = new Map<string, string>();
  let place = 'the program';
  for (const line of output.split('\n').filter((one) => one !== '')) {
    const [, file, number] = /^(\S+?)\((\d+),\d+\): error/.exec(line) ?? [];
    if (file !== undefined) place = `${file}:${number}`;
    else if (!line.startsWith(' ')) place = 'the program';
    told.set(place, `${told.get(place) ?? ''}${line}\n`);
  }
  return told;
}

/** Places of a file whose line above says what a message has to name, as in `// wrong: titel`. */
export async function expectedMistakes(dir: string, file: string): Promise<ReadonlyMap<string, RegExp>> {
  const lines = (await readFile(path.join(dir, file), 'utf8')).split('\n');
  return new Map(
    lines.flatMap((line, index) => {
      const [, wanted] = /^\/\/ wrong: (.+)$/.exec(line) ?? [];
      return wanted === undefined ? [] : [[`${file}:${index + 2}`, new RegExp(wanted)] as const];
    }),
  );
}

/** What an editor proposes at each `|` of a text that stands in a new file of a program. */
export async function proposals(dir: string, text: string): Promise<readonly (readonly string[])[]> {
  const { default: ts } = await import('typescript-5');
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  const { options, fileNames } = ts.getParsedCommandLineOfConfigFile(path.join(dir, 'tsconfig.json'), {}, host)!;
  const file = path.join(dir, 'src/probe.ts');
  const parts = text.split('|');
  const positions = parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join('').length);
  const textOf = (name: string) => (name === file ? parts.join('') : ts.sys.readFile(name));
  const service = ts.createLanguageService({
    ...{ fileExists: ts.sys.fileExists, readFile: ts.sys.readFile, readDirectory: ts.sys.readDirectory },
    ...{ directoryExists: ts.sys.directoryExists, getDirectories: ts.sys.getDirectories },
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...fileNames, file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const found = textOf(name);
      return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found);
    },
    getCurrentDirectory: () => dir,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  return positions.map((at) => service.getCompletionsAtPosition(file, at, {})?.entries.map(({ name }) => name) ?? []);
}
