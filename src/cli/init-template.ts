/** The files of a new project. */
import { codeOfType } from '../schema/editing/type-code.ts';

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

const article = {
  kind: 'collectionType',
  collectionName: 'articles',
  info: { singularName: 'article', pluralName: 'articles', displayName: 'Article' },
  options: { draftAndPublish: true },
  attributes: {
    title: { type: 'string', required: true },
    slug: { type: 'uid', targetField: 'title' },
    body: { type: 'richtext' },
    cover: { type: 'media', multiple: false, allowedTypes: ['images'] },
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author', inversedBy: 'articles' },
    seo: { type: 'component', component: 'shared.seo', repeatable: false },
  },
};

const author = {
  kind: 'collectionType',
  collectionName: 'authors',
  info: { singularName: 'author', pluralName: 'authors', displayName: 'Author' },
  options: { draftAndPublish: false },
  attributes: {
    name: { type: 'string', required: true },
    articles: { type: 'relation', relation: 'oneToMany', target: 'api::article.article', mappedBy: 'author' },
  },
};

const seo = {
  collectionName: 'components_shared_seos',
  info: { displayName: 'Search engines' },
  attributes: {
    title: { type: 'string', maxLength: 70 },
    description: { type: 'text', maxLength: 160 },
  },
};

const IGNORED = `node_modules/
# compiled code
/.cache/
# secrets, content and files: each installation has its own
.env
/database/
/public/uploads/
/backups/
`;

const readme = (name: string): string => `# ${name}

\`\`\`sh
npm install
npm run dev     # development on this machine: saved files take effect at once
npm start       # as on a server
\`\`\`

npm may warn about an install script of \`galley\` that \`allowScripts\` does not cover. The script builds Galley if it comes
from a repository; \`npm install-scripts approve galley\` allows it.

The first start creates the database and prints an address. Open it to create the first administrator. From then on, write
content at \`http://127.0.0.1:1337/admin\`.

## Reading over HTTP

Content is private at first. These commands let everyone read published articles and authors:

\`\`\`sh
npx galley role grant public --action api::article.article.find --action api::article.article.findOne --action api::author.author.find
curl -g 'http://127.0.0.1:1337/api/articles?populate=author&sort=title'
\`\`\`

An API token has its own rights: \`npx galley token create --name site --type full-access\` prints its secret.

## What is here

- \`src/api/*/content-types/*/schema.json\`: content types, one per file
- \`src/api/*/{controllers,routes,services}\`: code with which Strapi would serve them. Galley does not need it
- \`src/components/shared/*.json\`: components, which are parts of content types
- \`config/server.json\`, \`config/api.json\`: the port, strict requests, and other settings
- \`.env\`: the secrets of this installation. Keep it out of version control; a new installation creates its own
- \`database/\`, \`public/uploads/\`: content and files. Back them up together with \`.env\`
- \`tsconfig.json\`, \`galley.d.ts\`: settings and content types for TypeScript. \`npm run types\` updates \`galley.d.ts\` after
  a change of the schema files

Put your own code (hooks, routes, policies, rules of access and jobs) into \`src/galley.ts\`:
\`node_modules/galley/docs/extending.md\` shows how in ten minutes.

\`npm run check\` finds mistakes in the schema files and the configuration. \`node_modules/galley/docs\` describes both.
`;

/** Options for code that Node runs without a build, for TypeScript 5.9 and newer. */
const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['es2024'],
  module: 'nodenext',
  types: ['node'],
  strict: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  skipLibCheck: true,
  noEmit: true,
};

/** The schema of a type and the code that Strapi needs for it. */
function filesOfType(name: string, schema: object): [string, string][] {
  const code = codeOfType(`api::${name}.${name}`, { ending: 'ts', isModule: true, hasStrapi: false });
  return [
    [`src/api/${name}/content-types/${name}/schema.json`, json(schema)],
    ...code.map(({ file, text }): [string, string] => [`src/api/${name}/${file}`, text]),
  ];
}

export interface NewProject {
  /** The name of the package. */
  readonly name: string;
  /** The dependency on Galley in package.json. */
  readonly galley: string;
}

/** The text of each file by its path, in the order in which the command prints them. */
export function filesOf({ name, galley }: NewProject): ReadonlyMap<string, string> {
  // exec: a shell between npm and the server would not pass signals on
  const started = { start: 'exec galley start', dev: 'exec galley dev' };
  const manifest = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    scripts: { ...started, check: 'galley check', types: 'galley types' },
    dependencies: { galley },
    devDependencies: { '@types/node': '^22.18.0' },
    engines: { node: '>=22.18' },
  };
  return new Map([
    ['package.json', json(manifest)],
    ['tsconfig.json', json({ compilerOptions: COMPILER_OPTIONS, include: ['src', 'config', 'galley.d.ts'] })],
    ['README.md', readme(name)],
    ['.gitignore', IGNORED],
    ['config/server.json', json({ host: '0.0.0.0', port: 1337 })],
    [
      'config/api.json',
      json({ rest: { strictParams: true }, documents: { strictParams: true, strictRelations: true } }),
    ],
    ...filesOfType('article', article),
    ...filesOfType('author', author),
    ['src/components/shared/seo.json', json(seo)],
  ]);
}
