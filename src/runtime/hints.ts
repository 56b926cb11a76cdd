/**
 * Members of `strapi` that the text of a project's code names and that Galley lacks. `galley check` prints them. A hint
 * closes nothing: code that reads such a member fails its request with or without one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CodeConfig } from '../config/config.ts';
import { lineAt } from './line-of.ts';
import { missingMember } from './members/members.ts';
import { findSources } from './source-files.ts';

/** Hints that are printed; more are counted. */
const MOST = 20;

/** `strapi` with the members behind it: names, and calls with one text or none. */
const MEMBERS = /\bstrapi((?:\s*\??\.\s*\w+(?:\(\s*(?:'[^'\n]*'|"[^"\n]*")?\s*\))?)+)/g;
const STEP = /\.\s*(\w+)(?:(\()\s*(?:'([^'\n]*)'|"([^"\n]*)")?\s*\))?/g;

/** One line for each place, with its file and line. */
export function missingMembersIn(dir: string, plugins: CodeConfig['plugins']): readonly string[] {
  const hints = findSources({ dir, plugins }).flatMap(({ path, namesStrapi }) => {
    if (!namesStrapi || path.endsWith('.json')) return [];
    const text = readFileSync(join(dir, path), 'utf8');
    return [...text.matchAll(MEMBERS)].flatMap((found) => {
      const steps = [...found[1]!.matchAll(STEP)].map(([, name, call, one, other]) => {
        const argument = one ?? other;
        return call === undefined ? name! : `${name}(${argument === undefined ? '' : `'${argument}'`})`;
      });
      const missing = missingMember(steps);
      if (missing === undefined) return [];
      return [`${path}:${lineAt(text, found.index)}: Galley lacks ${missing}, so code that reads it fails`];
    });
  });
  const more = hints.length - MOST;
  return more > 0 ? [...hints.slice(0, MOST), `and ${more} more`] : hints;
}
