/** `galley openapi`: describes the API of a project, with every action that can be granted. */
import { writeFileSync } from 'node:fs';
import { Views } from '../access/views.ts';
import { loadConfig } from '../config/load.ts';
import { UsageError } from '../errors.ts';
import { describeApi, mayAddTo } from '../http/openapi/document.ts';
import { readProject } from '../project.ts';
import { writtenRoutes } from '../runtime/requests/written-routes.ts';
import { type Command, readArguments, WORKING_FOLDER } from './command.ts';

export const openApiCommand: Command = {
  name: 'openapi',
  summary: 'describe the API in OpenAPI 3.1',
  help: `galley openapi [DIR] [--out FILE]

Describes the API of the project in DIR (default: the working folder) in OpenAPI 3.1, as JSON on stdout, with every action
that a role or token can have. (GET /api/openapi.json describes what its caller may do.) The command opens no database. It
loads the project's code and does not start it, so routes that code adds when it starts are missing.

  --out FILE  writes the description to FILE`,
  async run(args, { env, print, warn }) {
    const { flag, positionals } = readArguments('openapi', args, { out: { type: 'string' } }, ['DIR']);
    const config = await loadConfig(positionals[0] ?? WORKING_FOLDER, { env });
    const files = await readProject(config);
    const { catalog, code } = files;
    const { prefix, createdStatus } = config.rest;
    const viewer = new Views(catalog).full;
    const described = {
      title: config.name,
      version: config.version,
      viewer,
      routes: code.routes,
      own: writtenRoutes(files, prefix),
      mayAdd: mayAddTo(code),
      prefix,
      createdStatus,
      isKnown: true,
      hears: true,
    };
    const text = JSON.stringify(describeApi(described), null, 2);
    await code.close();
    const out = flag('out');
    if (out === undefined) {
      print(text);
      return 0;
    }
    try {
      writeFileSync(out, `${text}\n`);
    } catch (error) {
      throw new UsageError(`cannot write ${out}: ${(error as Error).message}`, 1);
    }
    warn(`wrote ${out}`);
    return 0;
  },
};
