/** Holds answers against the description of the API. */
import { once } from 'node:events';
import { Agent, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** What is looked at of a description in OpenAPI. */
export interface Description {
  readonly paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, object> }> }>>;
  readonly components: { readonly schemas: Record<string, object>; readonly responses: object };
}

/** What holds answers against a description. */
export class Judge {
  readonly #description: Description;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #paths: readonly { readonly pattern: RegExp; readonly path: string }[];
  readonly #known = new Map<string, ValidateFunction>();
  readonly failures = new Set<string>();
  judged = 0;

  constructor(description: Description) {
    this.#description = description;
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    this.#ajv.addSchema({ $id: 'api:', ...(description as object) });
    this.#paths = Object.keys(description.paths)
      .sort((one, other) => one.split('{').length - other.split('{').length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`, 'i') }));
  }

  take(method: string, target: string, status: number, body: string): void {
    const place = this.#paths.find(
      ({ path, pattern }) =>
        pattern.test(target.split('?')[0]!) && method.toLowerCase() in this.#description.paths[path]!,
    );
    // what is not there is answered with errors alone
    if (!place) {
      if (status < 400) this.failures.add(`${method} ${target}: ${status}, and it is not described`);
      return;
    }
    this.judged += 1;
    const { responses } = this.#description.paths[place.path]![method.toLowerCase()]!;
    const answer = responses[status] ? String(status) : status >= 400 ? 'default' : undefined;
    if (answer === undefined) {
      this.failures.add(`${method} ${place.path}: ${status} is not described`);
      return;
    }
    if (answer !== 'default' && responses[status]!.content === undefined) {
      if (body !== '') this.failures.add(`${method} ${place.path}: ${status} has a body`);
      return;
    }
    const pointer = ['paths', place.path, method.toLowerCase(), 'responses', answer, 'content', 'application/json'];
    const schema =
      answer === 'default'
        ? 'api:#/components/schemas/Error'
        : `api:#/${[...pointer, 'schema'].map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const validate = this.#known.get(schema) ?? this.#ajv.compile({ $ref: schema });
    this.#known.set(schema, validate);
    if (validate(JSON.parse(body))) return;
    const why = validate
      .errors!.slice(0, 3)
      .map((error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
    this.failures.add(`${method} ${place.path}: ${status}: ${why.join('; ')}`);
  }
}

/** Stands in front of a server and hands every answer to a judge. */
export async function standInFront(url: string, judge: Judge) {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const passed = httpRequest({ hostname, port, method, path, headers, agent });
    request.pipe(passed);
    const [answer] = (await once(passed, 'response')) as [IncomingMessage];
    const body = await buffer(answer);
    const isJson = /json/.test(answer.headers['content-type'] ?? '') || body.length === 0;
    const isPlain = headers['strapi-response-format'] === undefined && method !== 'HEAD' && method !== 'OPTIONS';
    // beside the API there are health and stored files
    const isApi = path.toLowerCase().startsWith('/api/');
    if (isApi && isJson && isPlain && answer.statusCode !== 304 && answer.headers['content-encoding'] === undefined) {
      judge.take(method, path, answer.statusCode!, body.toString());
    }
    response.writeHead(answer.statusCode!, answer.headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      agent.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
