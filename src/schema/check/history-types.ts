/** Checks the types that the configuration of the history names. */
import type { Catalog } from '../catalog.ts';
import { Findings, type Problem } from './problem.ts';

/** A mistake for each uid that is not a content type of the project. */
export function checkHistoryTypes(catalog: Catalog, uids: readonly string[]): Problem[] {
  const findings = new Findings();
  const types = [...catalog.contentTypes.values()].filter(({ routed }) => routed).map(({ uid }) => uid);
  for (const uid of uids) {
    if (types.includes(uid)) continue;
    findings.problem('config/galley', ['history', 'types', uid], 'is not a content type of the project', uid, types);
  }
  return findings.problems;
}
