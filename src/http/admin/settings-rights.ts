/** Rights of administrators on settings, which concern no type. */
import { forbidden } from '../../errors.ts';
import type { AdminCall, AdminHandler } from './admin-route.ts';

/** Whether the administrator has a right. Conditions apply to documents, so a right with a condition has no effect. */
export const mayAct = ({ administrator }: Pick<AdminCall, 'administrator'>, action: string): boolean =>
  administrator.rights.rights.some((right) => right.action === action && right.conditions.length === 0);

/** A handler for administrators with a right. It throws ContentError 403 for others. */
export const withRight =
  (action: string, handler: AdminHandler): AdminHandler =>
  async (call) => {
    if (!mayAct(call, action)) throw forbidden();
    return handler(call);
  };

/** A handler for super administrators. It throws ContentError 403 for others. */
export const forSuper =
  (handler: AdminHandler): AdminHandler =>
  async (call) => {
    if (!call.administrator.rights.isSuper) throw forbidden();
    return handler(call);
  };
