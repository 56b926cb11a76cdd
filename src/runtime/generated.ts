/**
 * The files that Strapi's generators write for every type and for a new project, recognized by their text, so that a
 * project without other code needs no parser.
 */

const FACTORIES = ['createCoreController', 'createCoreRouter', 'createCoreService'];
const IMPORTS = [
  (factory: string, uid: string) =>
    `const{${factory}}=require('@strapi/strapi').factories;module.exports=${factory}('${uid}')`,
  (factory: string, uid: string) => `import{factories}from'@strapi/strapi';exportdefaultfactories.${factory}('${uid}')`,
  (factory: string, uid: string) => `module.exports=require('@strapi/strapi').factories.${factory}('${uid}')`,
];
const INDEXES = ['module.exports={register(){},bootstrap(){},}', 'exportdefault{register(){},bootstrap(){},}', ''];

/** Whether the text of a file only requests the defaults of a type (`api::article.article`). False: undecided. */
export function isGenerated(text: string, uid: string | undefined): boolean {
  const code = condensed(text);
  if (code === undefined) return false;
  if (uid === undefined) return INDEXES.includes(code);
  return FACTORIES.some((factory) => IMPORTS.some((form) => form(factory, uid) === code));
}

/**
 * The text without comments and blanks; undefined for one with more than a generated file has. Only for a comparison
 * with the texts above, in which the removed parts cannot matter.
 */
function condensed(text: string): string | undefined {
  if (text.length > 2000) return undefined;
  let code = '';
  for (let at = 0; at < text.length; ) {
    const here = text[at]!;
    const end = here === '/' ? endOfComment(text, at) : at;
    if (end === undefined) return undefined;
    if (end > at) at = end;
    else {
      if (here.trim() !== '') code += here === '"' ? "'" : here;
      at++;
    }
  }
  for (const directive of ["'usestrict';", "'usestrict'"]) {
    if (code.startsWith(directive)) code = code.slice(directive.length);
  }
  return code.endsWith(';') ? code.slice(0, -1) : code;
}

/** Where a comment ends that begins at a slash; undefined for a slash of something else. */
function endOfComment(text: string, at: number): number | undefined {
  // a full stop is every character but those that end a line
  if (text.startsWith('//', at)) return at + /.*/.exec(text.slice(at))![0].length;
  if (!text.startsWith('/*', at)) return SLASH_OF_PACKAGE.some((before) => text.endsWith(before, at)) ? at : undefined;
  const end = text.indexOf('*/', at + 2);
  return end < 0 ? undefined : end + 2;
}

/** The one slash of a generated file's code is that of `@strapi/strapi`. */
const SLASH_OF_PACKAGE = ['@strapi'];
