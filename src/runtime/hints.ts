/**
 * Members of `strapi` that the text of a project's code names and that Galley lacks. `galley check` prints them, and a start counts them. A hint
 * closes nothing: code that reads such a member fails its request with or without one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineAt } from './line-of.ts';
import { insteadOf, missingMember } from './members/members.ts';
import type { SourceFile } from './source-files.ts';

/** `strapi` with the members behind it: names, and calls with one text or none. */
const MEMBERS = /\bstrapi((?:\s*\??\.\s*\w+(?:\(\s*(?:'[^'\n]*'|"[^"\n]*")?\s*\))?)+)/g;
const STEP = /\.\s*(\w+)(?:(\()\s*(?:'([^'\n]*)'|"([^"\n]*)")?\s*\))?/g;

/** One line for each place in the code of a project, with its file and line. */
export function missingMembersIn(dir: string, sources: readonly SourceFile[]): readonly string[] {
  return sources.flatMap(({ path, namesStrapi }) => {
    if (!namesStrapi || path.endsWith('.json')) return [];
    const text = readFileSync(join(dir, path), 'utf8');
    return [...text.matchAll(MEMBERS)].flatMap((found) => {
      const steps = [...found[1]!.matchAll(STEP)].map(([, name, call, one, other]) => {
        const argument = one ?? other;
        return call === undefined ? name! : `${name}(${argument === undefined ? '' : `'${argument}'`})`;
      });
      const missing = missingMember(steps);
      if (missing === undefined) return [];
      const instead = insteadOf(missing);
      const hint = `Galley lacks ${missing}, so code that reads it fails${instead === undefined ? '' : `: ${instead}`}`;
      return [`${path}:${lineAt(text, found.index)}: ${hint}`];
    });
  });
}
