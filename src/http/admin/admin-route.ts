/** How routes of the administration API are declared: each path below it with its methods. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FileOperation, Operation } from '../../access/administrators/administrator-rights.ts';
import type { Viewer } from '../../access/view.ts';
import type { Administrator } from '../../users/administrators/administrators.ts';

/** A request of somebody who is signed in. */
export interface AdminCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly administrator: Administrator;
  /** The administrator as reads and writes know it, for an operation: `view.may` says whether it may perform that. */
  readonly viewer: (operation: Operation) => Viewer;
  /** The same for an operation on files of the library. */
  readonly libraryViewer: (operation: FileOperation) => Viewer;
}

/** Answers a call. Throws ContentError to refuse it. */
export type AdminHandler = (call: AdminCall) => Promise<FastifyReply>;

/** A handler of requests for which nobody need be signed in. */
export interface OpenHandler {
  /** What is checked before the body is read. */
  readonly before?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly open: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

export interface AdminRoute {
  /** Below the API's path, with `:name` for parameters. */
  readonly path: string;
  readonly methods: Readonly<Partial<Record<'GET' | 'POST' | 'PUT' | 'DELETE', AdminHandler | OpenHandler>>>;
  /** Whether the handler reads `multipart/form-data` from the socket itself. */
  readonly multipart?: boolean;
}
