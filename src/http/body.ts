/** Request bodies: JSON of any name, forms; other content types count as no body (behaviour-writes.md). */
import type { FastifyInstance } from 'fastify';
import qs from 'qs';
import { ContentError } from '../errors.ts';

/** Bytes of a JSON body. */
export const JSON_LIMIT = 1_048_576;
/** Bytes of a form. */
export const FORM_LIMIT = 56 * 1024;
/** Fields of a form. */
const FORM_FIELDS = 1000;

const syntaxError = (message: string) => new ContentError('SyntaxError', message, undefined);

/** Registers the body parsers. */
export function addBodyParsers(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const json = /^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i;
  server.addContentTypeParser(
    json,
    { parseAs: 'string', bodyLimit: JSON_LIMIT },
    async (_request: unknown, text: string) => parseJson(text),
  );
  const form = 'application/x-www-form-urlencoded';
  server.addContentTypeParser(
    form,
    { parseAs: 'string', bodyLimit: FORM_LIMIT },
    async (_request: unknown, text: string) =>
      qs.parse(text, { depth: 20, parameterLimit: FORM_FIELDS, plainObjects: true }),
  );
  server.addContentTypeParser('*', (_request, payload, done) => {
    // read to the end and dropped, so that the connection stays usable
    payload.resume();
    payload.on('end', () => done(null, undefined));
    payload.on('error', done);
  });
}

/** A JSON body: an object or a list; nothing for an empty one. */
function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw syntaxError('The request body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null) throw syntaxError('The request body must be a JSON object');
  return value;
}
