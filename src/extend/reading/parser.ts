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

/** What reads TypeScript, from when it is first needed on. */
let typed: typeof Parser | undefined;

async function loadTyped(script: typeof Parser): Promise<typeof Parser> {
  const { tsPlugin } = await import('@sveltejs/acorn-typescript');
  return script.extend(tsPlugin() as unknown as (base: typeof Parser) => typeof Parser);
}

const TYPED = /\.[cm]?ts$/;

/**
 * A function that parses the text of a file by its name; it gives undefined for what is not JavaScript or TypeScript.
 *
 * @param names the files that it will be asked for. What reads TypeScript is loaded where there is some.
 */
export async function loadParser(
  names: readonly string[],
): Promise<(name: string, text: string) => Program | undefined> {
  const { Parser: script } = await import('acorn');
  if (names.some((name) => TYPED.test(name))) typed ??= await loadTyped(script);
  const reader = typed ?? script;
  return (name, text) => {
    const attempts: (() => Program)[] = TYPED.test(name)
      ? // the plugin tells places in the text, which its own code needs
        [() => reader.parse(text, { ...OPTIONS, locations: true })]
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
