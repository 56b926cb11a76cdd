/** Project folders for tests, and a running server on one of them. */
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type App, type OpenOptions, openProject } from '../../../src/app.ts';
import '../accounts/password-thread.ts';
import type { TestDatabase } from '../databases/databases.ts';
import { type Answer, send, sendForm } from './exchange.ts';

export { type Answer, jsonOf } from './exchange.ts';

/** The fixture project: schemas, configuration, uploads and recorded answers of a Strapi 5 project. */
export const FIXTURE_DIR = path.join(import.meta.dirname, '../../fixtures/strapi-project');

/** The content types that the conformance scenarios use. */
export const CONFORMANCE_DIR = path.join(import.meta.dirname, '../../conformance/project');

export interface ProjectFolder {
  readonly dir: string;
  /** The folder that it is a copy of, when it is one. */
  readonly source?: string;
  remove(): Promise<void>;
}

/** What a project is made of, in memory. */
export interface ProjectFiles {
  /** Schema by singular name: `{article: {kind, info, attributes, …}}`. */
  readonly contentTypes?: Readonly<Record<string, unknown>>;
  /** Schema by uid: `{'shared.seo': {collectionName, attributes}}`. */
  readonly components?: Readonly<Record<string, unknown>>;
  /** Any other file by its path in the project; a value that is not text is written as JSON. */
  readonly files?: Readonly<Record<string, unknown>>;
}

/** The form of a schema file with the names that every content type needs; `schema` overrides any of it. */
export function contentType(
  singularName: string,
  attributes: Readonly<Record<string, unknown>>,
  schema: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const { info, ...rest } = schema;
  const pluralName = `${singularName}s`;
  return {
    kind: 'collectionType',
    collectionName: pluralName.replaceAll('-', '_'),
    info: { singularName, pluralName, displayName: singularName, ...(info as object | undefined) },
    options: { draftAndPublish: false },
    attributes,
    ...rest,
  };
}

async function temporaryFolder(): Promise<ProjectFolder> {
  const dir = await mkdtemp(path.join(tmpdir(), 'galley-project-'));
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** Writes a project into a new temporary folder. */
export async function makeProject({ contentTypes, components, files }: ProjectFiles): Promise<ProjectFolder> {
  const folder = await temporaryFolder();
  const all: [string, unknown][] = [
    ...Object.entries(contentTypes ?? {}).map(([name, schema]): [string, unknown] => [
      `src/api/${name}/content-types/${name}/schema.json`,
      schema,
    ]),
    ...Object.entries(components ?? {}).map(([uid, schema]): [string, unknown] => [
      `src/components/${uid.replace('.', '/')}.json`,
      schema,
    ]),
    ...Object.entries(files ?? {}),
  ];
  for (const [name, value] of all) {
    const file = path.join(folder.dir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  }
  return folder;
}

/** Copies a project folder into a new temporary folder, without its databases. */
export async function copyProject(source: string = FIXTURE_DIR): Promise<ProjectFolder> {
  const folder = await temporaryFolder();
  const databases = path.join(source, 'database');
  await cp(source, folder.dir, { recursive: true, filter: (file) => file !== databases });
  return { ...folder, source };
}

/** The folder of a project that removes files at once when they are deleted. */
export async function withoutTrash(folder: ProjectFolder): Promise<ProjectFolder> {
  const text = 'module.exports = { trash: { days: 0 } };';
  await writeFile(path.join(folder.dir, 'config/galley.js'), text);
  return folder;
}

export interface RequestOptions {
  /** Bearer token; without it the caller is the public. */
  readonly token?: string | undefined;
  /** Sent as JSON, or as it is when it is a text or FormData. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RunningServer {
  readonly app: App;
  readonly url: string;
  /** Sends one request; brackets and other characters of `target` may be written raw. */
  request(method: string, target: string, options?: RequestOptions): Promise<Answer>;
  get(target: string, token?: string): Promise<Answer>;
  /** Stops the server; removes the folder and the database when `serve` was given them to own. */
  stop(): Promise<void>;
}

/**
 * Opens a project and listens on a free port. The server reads `env` and nothing of the test's own environment;
 * `stop` removes the folder and drops the database as well.
 *
 * @param prepare what is done with the project before it listens.
 */
export async function serve(
  folder: ProjectFolder,
  database: TestDatabase,
  env: Readonly<Record<string, string>> = {},
  options: OpenOptions = {},
  prepare: (app: App) => Promise<unknown> = () => Promise.resolve(),
): Promise<RunningServer> {
  const app = await openProject(folder.dir, {
    ...options,
    env: { ...database.env, ...env },
    overrides: { port: 0, host: '127.0.0.1' },
  });
  const listening = prepare(app).then(() => app.listen());
  const { url } = await listening.catch(async (error) => {
    await app.close();
    throw error;
  });
  const request = async (method: string, target: string, options: RequestOptions = {}): Promise<Answer> => {
    const headers: Record<string, string> = { ...options.headers };
    if (options.token !== undefined) headers['authorization'] = `Bearer ${options.token}`;
    const { body } = options;
    // A percent sign of the target is an escape that the test wrote itself.
    const address = url + encodeURI(target).replaceAll('%25', '%');
    if (body instanceof FormData) return sendForm(method, address, headers, body);
    if (body !== undefined) headers['content-type'] ??= 'application/json';
    return send(method, address, headers, typeof body === 'string' ? body : JSON.stringify(body));
  };
  return {
    app,
    url,
    request,
    get: (target, token) => request('GET', target, { token }),
    async stop() {
      await app.close();
      await database.drop();
      await folder.remove();
    },
  };
}
