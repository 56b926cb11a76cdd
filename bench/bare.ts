/**
 * The limit of what this HTTP stack can do: a Fastify route that sends bytes from memory, and nothing else.
 *
 *     node bare.ts FILE PORT
 */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import Fastify from 'fastify';

// as src/main.ts has it
setFlagsFromString('--semi-space-growth-factor=1');

const [filename = '', port = ''] = process.argv.slice(2);
const body = readFileSync(filename);
const server = Fastify();
server.get('/', (_, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(body));
await server.listen({ port: Number(port), host: '127.0.0.1' });
