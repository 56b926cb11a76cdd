/** The files of code with which Strapi serves a content type. Galley serves it without them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageOf } from '../../package-file.ts';
import { isObject } from '../../plain-values.ts';

/** How the code of a project is written. */
export interface CodeStyle {
  readonly ending: 'ts' | 'js';
  /** Whether the package is one of ECMAScript modules. */
  readonly isModule: boolean;
  /** Whether the package depends on Strapi. */
  readonly hasStrapi: boolean;
}

/** Folders of an API with a file for each type, with the factories of those files. */
const FACTORIES = {
  controllers: 'createCoreController',
  routes: 'createCoreRouter',
  services: 'createCoreService',
} as const;

/** Folders of an API with a file for each type. */
export const CODE_FOLDERS = Object.keys(FACTORIES) as readonly (keyof typeof FACTORIES)[];

/** The style of the code in a project. */
export function codeStyleOf(dir: string): CodeStyle {
  const { type, dependencies, devDependencies } = packageOf(dir);
  const packages = [dependencies, devDependencies].filter(isObject);
  return {
    ending: existsSync(join(dir, 'tsconfig.json')) ? 'ts' : 'js',
    isModule: type === 'module',
    hasStrapi: packages.some((list) => Object.hasOwn(list, '@strapi/strapi')),
  };
}

/** The files of a type by their folder: the path inside its API, and the text, which requests Strapi's defaults. */
export function codeOfType(
  uid: string,
  { ending, isModule, hasStrapi }: CodeStyle,
): { readonly folder: (typeof CODE_FOLDERS)[number]; readonly file: string; readonly text: string }[] {
  const name = uid.slice(uid.indexOf('.') + 1);
  return CODE_FOLDERS.map((folder) => {
    const factory = FACTORIES[folder];
    const isForeign = ending === 'ts' && !hasStrapi;
    const text =
      ending === 'ts' || isModule
        ? `${isForeign ? FOREIGN : ''}import { factories } from '@strapi/strapi';\n\nexport default factories.${factory}('${uid}');\n`
        : `'use strict';\n\nconst { ${factory} } = require('@strapi/strapi').factories;\n\nmodule.exports = ${factory}('${uid}');\n`;
    return { folder, file: `${folder}/${name}.${ending}`, text };
  });
}

/** The line before an import of a package that is not installed. */
const FOREIGN = '// @ts-ignore Strapi needs this file to serve the type. Galley serves it without.\n';
