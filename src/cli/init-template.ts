/** The files of a new project. */

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
# what code becomes before it is run
/.cache/
# secrets, content and files: each installation has its own
.env
/database/
/public/uploads/
`;

const readme = (name: string): string => `# ${name}

\`\`\`sh
npm install
npm run dev     # on this machine; saved schema files take effect at once
npm start       # as on a server
\`\`\`

npm may warn of an install script of \`galley\` that \`allowScripts\` does not cover: it builds Galley where that comes out of a repository. \`npm install-scripts approve galley\` allows it.

The first start makes the database and prints an address for the first administrator. Open it to write content in a browser; after that, it is written at \`http://127.0.0.1:1337/admin\`.

## Reading over HTTP

Content is private until you say otherwise. So that everybody may read what is published:

\`\`\`sh
npx galley role grant public --action api::article.article.find --action api::article.article.findOne --action api::author.author.find
curl -g 'http://127.0.0.1:1337/api/articles?populate=author&sort=title'
\`\`\`

An API token may do more than the public: \`npx galley token create --name site --type full-access\` prints its secret.

## What is here

- \`src/api/*/content-types/*/schema.json\`: a content type each
- \`src/components/shared/*.json\`: components, which content types contain
- \`config/server.json\`, \`config/api.json\`: the port, what requests are refused, and whatever else is to differ from the defaults
- \`.env\`: secrets of this installation. It is not for version control; an installation without one makes its own
- \`database/\`, \`public/uploads/\`: content and files. Back them up together with \`.env\`
- \`tsconfig.json\`, \`galley.d.ts\`: what an editor checks your code by, and the types of your content. \`npm run types\` writes the latter again after a change of the schema files

Code of your own, hooks, routes, policies, rules of access and jobs, goes into \`src/galley.ts\`: \`node_modules/galley/docs/extending.md\` shows it in ten minutes.

\`npm run check\` finds mistakes in the schema files. What may be written into them and into \`config\` is described in \`node_modules/galley/docs\`.
`;

/** What Node can run as it is, and every TypeScript from 5.9 on checks. */
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

export interface NewProject {
  /** What the package is called. */
  readonly name: string;
  /** Where npm is to get Galley: what stands behind its name in package.json. */
  readonly galley: string;
}

/** Path → text of each file, in the order in which they are told. */
export function filesOf({ name, galley }: NewProject): ReadonlyMap<string, string> {
  // a shell that stayed between npm and the server would keep signals to itself
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
    ['src/api/article/content-types/article/schema.json', json(article)],
    ['src/api/author/content-types/author/schema.json', json(author)],
    ['src/components/shared/seo.json', json(seo)],
  ]);
}
