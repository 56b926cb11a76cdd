/** Rights of administrators on settings, which concern no type. */
import { forbidden } from '../../errors.ts';
import type { AdminCall, AdminHandler } from './admin-route.ts';

/** Whether the administrator has some rights. Conditions apply to documents, so a right with a condition has no effect. */
export const mayAct = ({ administrator }: Pick<AdminCall, 'administrator'>, ...actions: readonly string[]): boolean =>
  actions.every((action) =>
    administrator.rights.rights.some((right) => right.action === action && right.conditions.length === 0),
  );

/** A handler for the administrators who may call it. It throws ContentError 403 for others. */
const guarded =
  (may: (call: AdminCall) => boolean, handler: AdminHandler): AdminHandler =>
  async (call) => {
    if (!may(call)) throw forbidden();
    return handler(call);
  };

/** A handler for administrators with a right. */
export const withRight = (action: string, handler: AdminHandler): AdminHandler => withRights([action], handler);

/** A handler for administrators with all of some rights. */
export const withRights = (actions: readonly string[], handler: AdminHandler): AdminHandler =>
  guarded((call) => mayAct(call, ...actions), handler);

/** A handler for administrators with one of some rights. */
export const withOneRight = (actions: readonly string[], handler: AdminHandler): AdminHandler =>
  guarded((call) => actions.some((action) => mayAct(call, action)), handler);

/** A handler for super administrators. */
export const forSuper = (handler: AdminHandler): AdminHandler =>
  guarded(({ administrator }) => administrator.rights.isSuper, handler);
