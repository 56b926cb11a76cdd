/**
 * Types that streams of changes leave out because code of the project stands before reading them: which, and what code.
 * This is for whoever runs the project: no caller is told.
 */

import { coreRoute } from '../../access/actions.ts';
import type { Config } from '../../config/config.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { OwnCode } from '../galley/own-code.ts';
import type { ProjectCode } from '../project-code.ts';
import { GALLEY, listedGalleyRoute } from '../running/requests/written-routes.ts';
import { guardOf, type IsGuarded, type ReadAction } from './guard.ts';
import type { LeftOut } from './silenced.ts';
import { type StandingCode, standingName } from './standing.ts';

export interface SilenceParts {
  readonly catalog: Catalog;
  readonly code: Pick<ProjectCode, 'standing' | 'closed'>;
  readonly own: OwnCode | undefined;
  readonly config: Pick<Config, 'code'>;
}

export class Silence {
  readonly #parts: SilenceParts;

  constructor(parts: SilenceParts) {
    this.#parts = parts;
  }

  /** Whether nobody is told of a type, as far as `stands` knows. */
  get isGuarded(): IsGuarded {
    const { own, config } = this.#parts;
    const { serve } = config.code;
    return guardOf({ policies: own?.definition.policies, standsBefore: this.stands.bind(this), serve });
  }

  /**
   * Whether code stands before a read, as far as reading the code shows: what it does to strapi as it starts is known to a
   * server alone.
   */
  stands(type: ContentType, action: ReadAction): boolean {
    const isShown = this.#standing(type, action).some(({ kind }) => kind !== 'strapi');
    return isShown || this.#takenBy(type, action).length > 0;
  }

  /** Files whose code may stand before a read, though reading it does not show whether it does. */
  unclear(type: ContentType, action: ReadAction): readonly string[] {
    return this.#standing(type, action).flatMap((one) => (one.kind === 'strapi' ? [standingName(one)] : []));
  }

  /** The code that stands before a read. */
  reasons(type: ContentType, action: ReadAction): readonly string[] {
    const { own } = this.#parts;
    const policies = own?.definition.policies.get(`${type.uid}.${action}`) ?? [];
    const named = policies.map(({ name }, index) => `policy ${name || index + 1} of ${GALLEY}`);
    const others = this.#standing(type, action).map(standingName);
    return [...new Set([...named, ...others, ...this.#takenBy(type, action)])];
  }

  /** What is left out of streams, with why. What is closed to requests as well is told elsewhere. */
  leftOut(isGuarded: IsGuarded, action: ReadAction = 'find'): LeftOut[] {
    const { catalog, code, own } = this.#parts;
    return [...catalog.contentTypes.values()].flatMap((type): LeftOut[] => {
      const { uid, routed } = type;
      if (!routed || code.closed.has(`${uid}.${action}`) || code.closed.has(uid) || !isGuarded(type, action)) return [];
      const reasons = this.reasons(type, action);
      const canBeServed = !own?.definition.policies.has(`${uid}.${action}`);
      return [
        { uid, reasons: reasons.length > 0 ? reasons : ['what code of the project adds as it starts'], canBeServed },
      ];
    });
  }

  #standing({ uid }: ContentType, action: ReadAction): readonly StandingCode[] {
    return this.#parts.code.standing(`${uid}.${action}`).filter(({ outcome }) => outcome === 'is run');
  }

  /** Routes of `src/galley` that answer in the place of a core route. */
  #takenBy(type: ContentType, action: ReadAction): readonly string[] {
    const { path } = coreRoute(type, action);
    return (this.#parts.own?.definition.routes ?? []).flatMap((route) => {
      const isTaken =
        ['GET', 'ALL'].includes(route.method) && listedGalleyRoute(route).pattern.match(path) !== undefined;
      return isTaken ? [`route ${route.name} of ${GALLEY}`] : [];
    });
  }
}
