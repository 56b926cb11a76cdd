/**
 * Writes `src/ui/icons.ts`: the icons of the Lucide set that are named here. The whole set as a package would add five
 * thousand files to every installation.
 *
 *     npm pack lucide-static@1.62.0 && tar xzf lucide-static-1.62.0.tgz package/icon-nodes.json
 *     node admin/build/icons.ts package/icon-nodes.json
 */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const NAMES = `arrow-down arrow-left arrow-right arrow-up archive bell bold box calendar chart-column check
  chevron-down chevron-left chevron-right chevrons-up-down circle-alert circle-check circle-user
  clock cloud-off code columns-3 copy crosshair database download ellipsis external-link eye eye-off file
  file-text folder folder-input folder-plus globe grip-vertical heading rotate-ccw house image info italic key-round keyboard
  languages laptop layout-grid link list list-ordered lock log-out menu message-square minus moon pencil
  pin plus quote redo-2 refresh-cw save scan search send settings shield shield-check smartphone square-pen sun tag
  trash triangle-alert type undo-2 unlink upload user users video volume-2 wrench x zap`.split(/\s+/);

type Node = readonly [tag: string, attributes: Readonly<Record<string, string>>];

const nodes = JSON.parse(await readFile(process.argv[2]!, 'utf8')) as Readonly<Record<string, readonly Node[]>>;
const missing = NAMES.filter((name) => !nodes[name]);
if (missing.length) throw new Error(`the set has no ${missing.join(', ')}`);

const lines = NAMES.map(
  (name) => `export const ${pascal(name)} = /* @__PURE__ */ icon(${JSON.stringify(nodes[name])});`,
);
const file = path.join(import.meta.dirname, '../src/ui/icons.ts');
await writeFile(
  file,
  `/**
 * Icons of the Lucide set, written by \`build/icons.ts\`.
 *
 * ISC License. Copyright (c) Lucide Icons and Contributors. Permission to use, copy, modify, and/or distribute this
 * software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this
 * permission notice appear in all copies. The software is provided "as is" and the author disclaims all warranties
 * with regard to this software including all implied warranties of merchantability and fitness. In no event shall the
 * author be liable for any special, direct, indirect, or consequential damages or any damages whatsoever resulting
 * from loss of use, data or profits, whether in an action of contract, negligence or other tortious action, arising
 * out of or in connection with the use or performance of this software.
 *
 * Some of them derive from Feather: MIT License, Copyright (c) 2013-2023 Cole Bemis.
 */
import { icon } from './icon.tsx';

${lines.join('\n')}
`,
);
execFileSync(path.join(import.meta.dirname, '../../node_modules/.bin/biome'), ['format', '--write', file]);

function pascal(name: string): string {
  return name.replace(/(^|-)(.)/g, (_whole, _dash, letter: string) => letter.toUpperCase());
}
