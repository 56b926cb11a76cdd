/**
 * Node's HTTP module, loaded without an import: an import reads all its exports and thereby loads Node's HTTP client
 * and WebSockets, 14 MB that a server does not need.
 */
import type { ClientRequest, IncomingMessage as Request, RequestOptions, ServerResponse as Response } from 'node:http';

/** Answers a request. */
export type RequestHandler = (request: Request, response: Response) => void;

export const { createServer, IncomingMessage, maxHeaderSize, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');

/** Begins a request. Node loads its client with the first one. */
export const sendRequest = (options: RequestOptions): ClientRequest =>
  process.getBuiltinModule('node:http').request(options);
