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

/** What reads TypeScript, and what reads JSX as well, from when it is first needed on. */
let typed: { readonly plain: typeof Parser; readonly jsx: typeof Parser } | undefined;

async function loadTyped(script: typeof Parser): Promise<typeof typed> {
  const { tsPlugin } = await import('@sveltejs/acorn-typescript');
  const read = (jsx: boolean) => script.extend(tsPlugin({ jsx }) as unknown as (base: typeof Parser) => typeof Parser);
  return { plain: read(false), jsx: read(true) };
}

const JSX = /\.[jt]sx$/;
const TYPED = /\.[cm]?tsx?$|\.jsx$/;

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
  return (name, text) => {
    const reader = (JSX.test(name) ? typed?.jsx : typed?.plain) ?? script;
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
