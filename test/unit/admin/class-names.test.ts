/** Class names of the administration app: each has a rule in the style sheet that its module imports. */
import { deepStrictEqual } from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

const APP = path.join(import.meta.dirname, '../../../admin/src');
const read = (file: string): string => readFileSync(file, 'utf8');

it('has a rule for each class name', () => {
  const missing = globSync('**/*.tsx', { cwd: APP }).flatMap((module) => {
    const text = read(path.join(APP, module));
    const sheets = text.matchAll(/^import (\w+) from '(\S+\.module\.css)'/gm);
    return [...sheets].flatMap(([, name, sheet]) => {
      const rules = read(path.join(APP, path.dirname(module), sheet!)).replaceAll(/\/\*[\s\S]*?\*\//g, '');
      const defined = new Set(Array.from(rules.matchAll(/\.([A-Za-z][\w-]*)/g), ([, one]) => one!));
      const used = Array.from(text.matchAll(new RegExp(`\\b${name}\\['([\\w-]+)'\\]`, 'g')), ([, one]) => one!);
      return used.filter((one) => !defined.has(one)).map((one) => `${module}: ${one}`);
    });
  });
  deepStrictEqual(missing, []);
});
