/** The View that code means by `{ auth: ctx.state.auth }`. */
import type { View } from '../../../access/view.ts';
import type { Views } from '../../../access/views.ts';
import { type Context, callingOf } from '../requests/context.ts';

/** That of the request being answered; where code names no caller, all that is not private is shown. */
export function viewOfAuth(views: Views, ctx: Context | undefined, auth: unknown): View {
  const calling = ctx && callingOf(ctx);
  return auth === undefined || auth === null || !calling ? views.full.view : calling.viewer.view;
}
