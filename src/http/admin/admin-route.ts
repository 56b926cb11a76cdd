/** Declarations of routes of the administration API: each path with its methods. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FileOperation, Operation } from '../../access/administrators/administrator-rights.ts';
import type { Viewer } from '../../access/view.ts';
import type { Administrator } from '../../users/administrators/administrators.ts';

/** A request of a signed-in administrator. */
export interface AdminCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly administrator: Administrator;
  /** The administrator for an operation on documents: `view.may` tells whether it is permitted. */
  readonly viewer: (operation: Operation) => Viewer;
  /** The administrator for an operation on files. */
  readonly libraryViewer: (operation: FileOperation) => Viewer;
}

/** Answers a call. Throws ContentError to refuse it. */
export type AdminHandler = (call: AdminCall) => Promise<FastifyReply>;

/** A handler of requests without a sign-in. */
export interface OpenHandler {
  /** Checks before the body is read. */
  readonly before?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly open: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

export interface AdminRoute {
  /** Below the API's path, with `:name` for parameters. */
  readonly path: string;
  readonly methods: Readonly<Partial<Record<'GET' | 'POST' | 'PUT' | 'DELETE', AdminHandler | OpenHandler>>>;
  /** Whether administrators may use the route who must set up a second factor first. */
  readonly isForSetUp?: boolean;
  /** Whether the handler reads `multipart/form-data` from the socket itself. */
  readonly multipart?: boolean;
}
