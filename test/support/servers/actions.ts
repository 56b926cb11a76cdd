/** A project with a controller whose actions are written in a test, for tests of strapi in code. */
import type { Engine } from '../databases/databases.ts';
import { makeProject, type ProjectFiles } from './project.ts';
import { type SeededServer, serveSeeded } from './seeded.ts';

export interface ServedActions {
  readonly server: SeededServer;
  /** Runs an action and gives what it returns; what it throws is `{ error, details }`. */
  // biome-ignore lint/suspicious/noExplicitAny: what the action returns
  run(name: string): Promise<any>;
}

/**
 * Serves a project with the languages en, fr and de.
 *
 * @param actions bodies of asynchronous functions of `strapi` and `ctx`, by name.
 * @param fixture with the full-access token `full`; the usual one when left out.
 */
export async function serveActions(
  engine: Engine,
  project: ProjectFiles,
  actions: Readonly<Record<string, string>>,
  fixture?: unknown,
): Promise<ServedActions> {
  const routes = Object.keys(actions).map((name) => ({ method: 'POST', path: `/own/${name}`, handler: `own.${name}` }));
  const methods = Object.entries(actions).map(
    ([name, body]) => `async ${name}(ctx) { return told(async () => {\n${body}\n}); }`,
  );
  const folder = await makeProject({
    ...project,
    files: {
      'src/api/own/routes/own.js': `module.exports = { routes: ${JSON.stringify(routes)} };`,
      'src/api/own/controllers/own.js': `const told = async (work) => {
  try {
    return { value: await work() };
  } catch ({ name, message, details }) {
    return { value: { error: \`\${name}: \${message}\`, details } };
  }
};
module.exports = ({ strapi }) => ({\n${methods.join(',\n')}\n});`,
      ...project.files,
    },
  });
  const server = await serveSeeded(engine, folder, fixture);
  const run = async (name: string) => {
    const { status, text, body } = await server.request('POST', `/api/own/${name}`, { token: server.secrets['full'] });
    if (status !== 200) throw new Error(`the action ${name} answered ${status}: ${text}`);
    return body.value;
  };
  return { server, run };
}
