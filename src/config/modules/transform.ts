/**
 * Transforms TypeScript and ES modules of a project to CommonJS, which Strapi runs. Results are cached in the project's
 * `.cache` until the file changes, so that most starts need not load the transformer.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import type { Loader, TransformFailure, TransformOptions } from 'esbuild';
import { UsageError } from '../../errors.ts';
import type { TypeScriptConfig } from './tsconfig.ts';

/** The code of a file that is run. */
export interface Transformed {
  readonly code: string;
  /** A source map; undefined for a file that was not transformed. */
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

/** Part of the cache key; increased when the transformation changes. */
const VERSION = 1;
/** Words that CommonJS code does not contain. Transforming a file that has them only in texts does no harm. */
const MODULE_WORDS = /\b(?:import|export)\b/;

interface CachedFile extends Transformed {
  readonly key: string;
}

/**
 * Source maps of all loaders by file. The stack of a stray error may be printed by a loader that has not loaded the file.
 */
const latest = new Map<string, Pick<Transformed, 'map'>>();

export class Transformer {
  readonly #dir: string;
  readonly #config: TypeScriptConfig;
  readonly #transformed = new Map<string, Transformed>();
  #canWrite = true;

  constructor(dir: string, config: TypeScriptConfig) {
    this.#dir = dir;
    this.#config = config;
  }

  /**
   * Transforms files in advance, several at a time.
   *
   * @throws UsageError with the line of a syntax error.
   */
  async prepare(files: readonly string[]): Promise<void> {
    const waiting = files.map((file) => this.#begin(file)).filter((begun) => begun !== undefined);
    if (waiting.length === 0) return;
    const { transform, stop } = await import('esbuild');
    try {
      await Promise.all(
        waiting.map(async ({ file, text, key }) => {
          const result = await transform(text, this.#optionsOf(file)).catch((error) => {
            throw this.#mistake(file, error as TransformFailure);
          });
          this.#store(file, { key, ...result });
        }),
      );
    } finally {
      // ends the process of esbuild
      await stop();
    }
  }

  /**
   * A file's code.
   *
   * @param transformSync for a file that was not prepared, such as one outside of the usual folders.
   */
  of(file: string, transformSync: () => typeof import('esbuild').transformSync): Transformed {
    const existing = this.#transformed.get(file);
    if (existing) return existing;
    const begun = this.#begin(file);
    if (begun) {
      try {
        this.#store(file, { key: begun.key, ...transformSync()(begun.text, this.#optionsOf(file)) });
      } catch (error) {
        throw this.#mistake(file, error as TransformFailure);
      }
    }
    return this.#transformed.get(file)!;
  }

  /** The source map of a file that was transformed. */
  mapOf(file: string): string | undefined {
    return (this.#transformed.get(file) ?? latest.get(file))?.map;
  }

  #note(file: string, transformed: Transformed): void {
    this.#transformed.set(file, transformed);
    latest.set(file, { map: transformed.map });
  }

  /** What is needed to transform a file; undefined if it is cached or needs no transformation. */
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
    const cached = this.#cached(file);
    if (cached?.key !== key) return { file, text, key };
    this.#note(file, cached);
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
      // imports at run time are loaded by the loader too
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

  #cached(file: string): CachedFile | undefined {
    try {
      return JSON.parse(readFileSync(this.#placeOf(file), 'utf8')) as CachedFile;
    } catch {
      return undefined;
    }
  }

  #store(file: string, { key, code, map }: CachedFile & { map: string | undefined }): void {
    this.#note(file, { code, map });
    if (!this.#canWrite) return;
    const place = this.#placeOf(file);
    try {
      mkdirSync(this.#folder, { recursive: true });
      // another process may write the same file
      const half = `${place}.${process.pid}`;
      writeFileSync(half, JSON.stringify({ key, code, map }));
      renameSync(half, place);
    } catch {
      // the folder is read-only: the next start transforms again
      this.#canWrite = false;
    }
  }

  get #folder(): string {
    return join(this.#dir, '.cache', 'galley');
  }

  /** One cache file per source file. */
  #placeOf(file: string): string {
    const name = createHash('sha256').update(relative(this.#dir, file)).digest('base64url').slice(0, 24);
    return join(this.#folder, `${name}.json`);
  }
}
