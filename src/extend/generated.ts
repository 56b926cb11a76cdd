/**
 * The files that Strapi's generators write for every type and for a new project, known by their text, so that a
 * project that has no other needs no parser.
 */

const FACTORIES = ['createCoreController', 'createCoreRouter', 'createCoreService'];
const IMPORTS = [
  (factory: string, uid: string) =>
    `const{${factory}}=require('@strapi/strapi').factories;module.exports=${factory}('${uid}')`,
  (factory: string, uid: string) => `import{factories}from'@strapi/strapi';exportdefaultfactories.${factory}('${uid}')`,
  (factory: string, uid: string) => `module.exports=require('@strapi/strapi').factories.${factory}('${uid}')`,
];
const INDEXES = ['module.exports={register(){},bootstrap(){},}', 'exportdefault{register(){},bootstrap(){},}', ''];

/** Whether a file only asks for the defaults of a type (`api::article.article`), by its text. False: not known. */
export function isGenerated(text: string, uid: string | undefined): boolean {
  const code = condensed(text);
  if (code === undefined) return false;
  if (uid === undefined) return INDEXES.includes(code);
  return FACTORIES.some((factory) => IMPORTS.some((form) => form(factory, uid) === code));
}

/**
 * The text without comments and blanks; undefined for one with more than a generated file has. Only to be held against
 * the texts above: what it leaves out could not make another text equal to one of them.
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

/** What a configuration file consists of that only says values, as new projects have them. */
const CONFIG_TOKEN = new RegExp(
  [
    String.raw`(?<blank>\s+|//.*)`,
    // the one package that they need, and types
    String.raw`(?:const\s+path\s*=\s*require\(['"](?:node:)?path['"]\)|import\s+path\s+from\s+['"](?:node:)?path['"])`,
    String.raw`import\s+type\s*\{[\s\w,]*\}\s*from\s*['"]@strapi/[\w/]+['"]|:\s*Core\.Config\.[\w.]+`,
    String.raw`const\s+(?<declared>[A-Za-z_$][\w$]*)(?=\s*[=:])(?:\s*:\s*Core\.Config\.[\w.]+)?\s*=(?![=>])`,
    String.raw`\d[\d_.]*|module\.exports\s*=(?!=)|export\s+default\b|=>|===|!==|&&|\|\||\?\??|[(:;.]|(?<begun>[{,])`,
    // a name in front of a colon is a key, unless it stands behind a question mark
    String.raw`(?<word>[A-Za-z_$][\w$]*)(?:\[(?<member>[A-Za-z_$][\w$]*)\])?(?<key>\s*:)?`,
    String.raw`(?<quoted>'[^'\\\n]*'|"[^"\\\n]*")|(?<closed>[)\]}])|(?<opened>\[)`,
  ].join('|'),
  'y',
);
const CONFIG_WORDS = ['env', 'int', 'float', 'bool', 'array', 'date', 'oneOf', 'path', 'join', 'resolve', '__dirname'];
const CONSTANTS = ['true', 'false', 'null', 'undefined', 'return'];
/** What leads out of a file. */
const LEADS_OUT = new Set([
  'strapi',
  'require',
  'import',
  'global',
  'globalThis',
  'process',
  'constructor',
  'this',
  'eval',
  'Function',
]);

/**
 * Whether a configuration file says values and does nothing else, as those of a new project: it calls nothing but
 * `env` and `path`, changes nothing, and reaches nothing that it is not given. False: not known.
 */
export function saysValues(text: string): boolean {
  const token = new RegExp(CONFIG_TOKEN);
  const known = new Set([...CONFIG_WORDS, ...CONSTANTS]);
  let isBehindValue = false;
  let mayBeKey = false;
  while (token.lastIndex < text.length) {
    const groups = token.exec(text)?.groups;
    if (!groups) return false;
    const { blank, word, member, key, declared, quoted, closed, opened, begun } = groups;
    if (blank !== undefined) continue;
    const isKey = mayBeKey && key !== undefined && member === undefined;
    if (word !== undefined && !(isKey ? !LEADS_OUT.has(word) : known.has(word))) return false;
    if (member !== undefined && !known.has(member)) return false;
    // the member of a value whose name is worked out
    if (opened !== undefined && isBehindValue) return false;
    if (declared !== undefined && LEADS_OUT.has(declared)) return false;
    if (declared !== undefined) known.add(declared);
    mayBeKey = begun !== undefined;
    isBehindValue = (word !== undefined && key === undefined) || quoted !== undefined || closed !== undefined;
  }
  return true;
}

/** The one slash of a generated file's code is that of `@strapi/strapi`. */
const SLASH_OF_PACKAGE = ['@strapi'];
