/**
 * TypeScript and ES modules of a project → CommonJS, which Strapi runs. What a file became is kept in the project's
 * `.cache` until its text changes, so that a start need not load what transforms it.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import type { Loader, TransformFailure, TransformOptions } from 'esbuild';
import { UsageError } from '../../errors.ts';
import type { TypeScriptConfig } from './tsconfig.ts';

/** A file as it is run. */
export interface Transformed {
  readonly code: string;
  /** A source map; undefined for a file that is run as it stands. */
  readonly map: string | undefined;
}

const LOADERS: Readonly<Record<string, Loader>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.jsx': 'jsx',
  '.js': 'js',
  '.mjs': 'js',
  '.cjs': 'js',
};

/** Part of what a kept file is known by: rises when files are transformed in another way. */
const VERSION = 1;
/** What JavaScript may contain that CommonJS does not have. Where it is only text, transforming it does no harm. */
const MODULE_WORDS = /\b(?:import|export)\b/;

interface Kept extends Transformed {
  readonly key: string;
}

/**
 * What files were transformed to last, by whichever loader: an error of code that nobody waits for is told by one that
 * may not have loaded the file.
 */
const latest = new Map<string, Pick<Transformed, 'map'>>();

export class Transformer {
  readonly #dir: string;
  readonly #config: TypeScriptConfig;
  readonly #done = new Map<string, Transformed>();
  #keeps = true;

  constructor(dir: string, config: TypeScriptConfig) {
    this.#dir = dir;
    this.#config = config;
  }

  /**
   * Transforms files beforehand, several at a time.
   *
   * @throws UsageError for a file with a mistake, with its line.
   */
  async prepare(files: readonly string[]): Promise<void> {
    const waiting = files.map((file) => this.#begin(file)).filter((begun) => begun !== undefined);
    if (waiting.length === 0) return;
    const { transform, stop } = await import('esbuild');
    try {
      await Promise.all(
        waiting.map(async ({ file, text, key }) => {
          const made = await transform(text, this.#optionsOf(file)).catch((error) => {
            throw this.#mistake(file, error as TransformFailure);
          });
          this.#keep(file, { key, ...made });
        }),
      );
    } finally {
      // a process of its own, which is not needed until something changes
      await stop();
    }
  }

  /**
   * A file as it is run.
   *
   * @param transformSync for a file that was not prepared: one outside of the folders where code is looked for.
   */
  of(file: string, transformSync: () => typeof import('esbuild').transformSync): Transformed {
    const done = this.#done.get(file);
    if (done) return done;
    const begun = this.#begin(file);
    if (begun) {
      try {
        this.#keep(file, { key: begun.key, ...transformSync()(begun.text, this.#optionsOf(file)) });
      } catch (error) {
        throw this.#mistake(file, error as TransformFailure);
      }
    }
    return this.#done.get(file)!;
  }

  /** The source map of a file that was transformed. */
  mapOf(file: string): string | undefined {
    return (this.#done.get(file) ?? latest.get(file))?.map;
  }

  #note(file: string, transformed: Transformed): void {
    this.#done.set(file, transformed);
    latest.set(file, { map: transformed.map });
  }

  /** What is left to do for a file; undefined where it is known what it becomes. */
  #begin(file: string): { file: string; text: string; key: string } | undefined {
    const text = readFileSync(file, 'utf8');
    const ending = extname(file);
    if ((ending === '.js' || ending === '.cjs') && !MODULE_WORDS.test(text)) {
      this.#note(file, { code: text.replace(/^#!/, '//'), map: undefined });
      return undefined;
    }
    const key = createHash('sha256')
      .update(JSON.stringify([VERSION, this.#config.options, process.versions.node, text]))
      .digest('base64url');
    const kept = this.#kept(file);
    if (kept?.key !== key) return { file, text, key };
    this.#note(file, kept);
    return undefined;
  }

  #optionsOf(file: string): TransformOptions & { sourcemap: 'external' } {
    return {
      loader: LOADERS[extname(file)] ?? 'js',
      format: 'cjs',
      platform: 'node',
      target: `node${process.versions.node.split('.', 1)[0]}`,
      sourcemap: 'external',
      sourcefile: file,
      sourcesContent: false,
      logLevel: 'silent',
      // what is imported while the code runs is of the project too
      supported: { 'dynamic-import': false },
      define: {
        'import.meta.url': '__moduleUrl',
        'import.meta.dirname': '__dirname',
        'import.meta.filename': '__filename',
      },
      tsconfigRaw: { compilerOptions: this.#config.options },
    };
  }

  #mistake(file: string, error: TransformFailure): UsageError {
    const [first] = error.errors ?? [];
    const place = first?.location ? `:${first.location.line}:${first.location.column + 1}` : '';
    const path = relative(this.#dir, file).replaceAll('\\', '/');
    return new UsageError(`${path}${place}: ${first?.text ?? error.message}`, 1);
  }

  #kept(file: string): Kept | undefined {
    try {
      return JSON.parse(readFileSync(this.#placeOf(file), 'utf8')) as Kept;
    } catch {
      return undefined;
    }
  }

  #keep(file: string, { key, code, map }: Kept & { map: string | undefined }): void {
    this.#note(file, { code, map });
    if (!this.#keeps) return;
    const place = this.#placeOf(file);
    try {
      mkdirSync(this.#folder, { recursive: true });
      // another process may be doing the same
      const half = `${place}.${process.pid}`;
      writeFileSync(half, JSON.stringify({ key, code, map }));
      renameSync(half, place);
    } catch {
      // a folder that cannot be written: the next start transforms again
      this.#keeps = false;
    }
  }

  get #folder(): string {
    return join(this.#dir, '.cache', 'galley');
  }

  /** One for each file, so that they never become more than the project has. */
  #placeOf(file: string): string {
    const name = createHash('sha256').update(relative(this.#dir, file)).digest('base64url').slice(0, 24);
    return join(this.#folder, `${name}.json`);
  }
}
