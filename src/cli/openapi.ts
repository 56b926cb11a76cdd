/** `galley openapi`: the description of a project's API, with everything that can be granted. */
import { writeFileSync } from 'node:fs';
import { Views } from '../access/views.ts';
import { loadConfig } from '../config/load.ts';
import { UsageError } from '../errors.ts';
import { writtenRoutes } from '../extend/running/requests/written-routes.ts';
import { mayAddTo } from '../http/openapi/code.ts';
import { describeApi } from '../http/openapi/document.ts';
import { readProject } from '../project.ts';
import { type Command, readArguments, WORKING_FOLDER } from './command.ts';

export const openApiCommand: Command = {
  name: 'openapi',
  summary: 'describe the API in OpenAPI 3.1',
  help: `galley openapi [DIR] [--out FILE]

Describes the API of the project in DIR (default: the working folder) in OpenAPI 3.1, as JSON on stdout: everything that
can be granted. GET /api/openapi.json describes what a caller may do. It opens no database, and of the project's code it
loads src/galley alone: of the project's other routes it knows those of src/api that are written out, but not what they
take and answer.

  --out FILE  where to write it`,
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
      throw new UsageError(`${out} cannot be written: ${(error as Error).message}`, 1);
    }
    warn(`wrote ${out}`);
    return 0;
  },
};
