/** Source → syntax tree. The parser is loaded with the first file that needs it: most projects have none. */
import type { Options, Parser, Program } from 'acorn';

const OPTIONS: Options = {
  ecmaVersion: 'latest',
  sourceType: 'module',
  allowHashBang: true,
  allowReturnOutsideFunction: true,
  allowSuperOutsideMethod: true,
  allowImportExportEverywhere: true,
};

interface Parsers {
  readonly script: typeof Parser;
  readonly typed: typeof Parser;
}

let loading: Promise<Parsers> | undefined;

async function load(): Promise<Parsers> {
  const [{ Parser }, { tsPlugin }] = await Promise.all([import('acorn'), import('@sveltejs/acorn-typescript')]);
  return { script: Parser, typed: Parser.extend(tsPlugin() as unknown as (base: typeof Parser) => typeof Parser) };
}

/** A function that parses the text of a file by its name; it gives undefined for what is not JavaScript or TypeScript. */
export async function loadParser(): Promise<(name: string, text: string) => Program | undefined> {
  loading ??= load();
  const { script, typed } = await loading;
  return (name, text) => {
    const attempts: (() => Program)[] = /\.[cm]?ts$/.test(name)
      ? // the plugin tells places in the text, which its own code needs
        [() => typed.parse(text, { ...OPTIONS, locations: true })]
      : [() => script.parse(text, OPTIONS), () => script.parse(text, { ...OPTIONS, sourceType: 'script' })];
    for (const attempt of attempts) {
      try {
        return attempt();
      } catch {
        // whatever a parser throws, deep nesting included: the file is not understood
      }
    }
    return undefined;
  };
}
