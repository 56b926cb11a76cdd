/** Tokens of sessions where an extension has put its own `issue` in the place of that of the service `jwt`. */

import type { NewSession } from '../../../users/sessions/sessions.ts';
import { UserTokens } from '../../../users/sessions/user-tokens.ts';
import type { ExtendedServices } from '../plugins/extended-services.ts';
import type { CodeRooms } from '../rooms.ts';
import { issuedFor } from '../strapi/jwt.ts';

export class AskedTokens extends UserTokens {
  readonly #services: ExtendedServices;

  constructor({ config }: Pick<CodeRooms, 'config'>, services: ExtendedServices) {
    super(config.jwtSecret, config.users);
    this.#services = services;
  }

  /** As in the reference, tokens that are renewed are not asked for. */
  override async access(session: NewSession, now = Date.now()): Promise<string> {
    const service = this.refreshes ? undefined : this.#services.overriding('users-permissions', 'jwt', 'issue');
    if (!service) return super.access(session, now);
    const issue = service['issue'] as (payload: object) => unknown;
    return String(await issuedFor(session, () => issue.call(service, { id: session.userId })));
  }
}
