/**
 * The actions behind `POST /upload` as in the reference: `upload` passes a request to one of three others, which code
 * may replace as well. The server then answers the same route as a request of one kind.
 */
import { validation } from '../../errors.ts';
import type { Context } from '../requests/context.ts';

export type Action = (ctx: Context) => Promise<void>;
export type Actions = Record<string, Action>;

interface Upload {
  readonly id: unknown;
  readonly files: readonly unknown[];
}

/**
 * Makes the actions.
 *
 * @param send has the server answer `POST /upload`.
 */
export function uploadActions(send: Action): Actions {
  return {
    /** @throws ContentError 400 without files and without the id of one. */
    async upload(this: Actions, ctx) {
      const { id, files } = uploadOf(ctx);
      if (files.length > 0) return id ? this['replaceFile']!(ctx) : this['uploadFiles']!(ctx);
      if (!id) throw validation('Files are empty');
      return this['updateFileInfo']!(ctx);
    },
    uploadFiles: async (ctx) => {
      const { query } = ctx.request;
      const { id: _id, ...others } = query as Record<string, unknown>;
      ctx.request.query = others;
      try {
        await send(ctx);
      } finally {
        ctx.request.query = query;
      }
    },
    /** @throws ContentError 400 without the id of a file. */
    replaceFile: async (ctx) => {
      const { id, files } = uploadOf(ctx);
      requireId(id);
      if (files.length === 0) throw validation('Files are empty');
      await send(ctx);
    },
    /** @throws ContentError 400 without the id of a file. */
    updateFileInfo: async (ctx) => {
      requireId(uploadOf(ctx).id);
      const { files } = ctx.request;
      ctx.request.files = {};
      try {
        await send(ctx);
      } finally {
        ctx.request.files = files;
      }
    },
  };
}

function uploadOf({ request }: Context): Upload {
  const { id } = request.query as { id?: unknown };
  const { files } = (request.files ?? {}) as { files?: unknown };
  return { id, files: [files ?? []].flat() };
}

function requireId(id: unknown): void {
  if (!id || typeof id !== 'string') throw validation('File id is required and must be a single value');
}
