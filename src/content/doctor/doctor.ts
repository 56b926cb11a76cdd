/**
 * Checks a project's database and repairs what can be repaired without losing content: rows of documents are never
 * deleted.
 */
import type { Queryable } from '../../db/interface/queryable.ts';
import { defaultLocale } from '../locales/locales.ts';
import { type Check, examine, type Finding, type InBatch, repair } from './check.ts';
import { documentChecks, sharedChecks } from './documents.ts';
import { orderChecks } from './orders.ts';
import { orphanChecks, type Subject } from './orphans.ts';

/** Rounds of repairing: rows inside a removed component are orphans of the next round. */
const ROUNDS = 20;

/** Follows repairs. */
export interface Following {
  /** Receives the findings of each round before they are repaired. */
  found(findings: readonly Finding[]): unknown;
  /** Receives the number of rows of each batch that is repaired. */
  repaired?(rows: number): unknown;
}

/** Everything that is wrong. */
export async function diagnose(db: Queryable, subject: Subject): Promise<Finding[]> {
  return examine(db, await allChecks(db, subject));
}

/**
 * Repairs until nothing repairable is found. `diagnose` then returns the rest.
 *
 * @param inBatch runs each batch of repairs, in a transaction of its own or in one for all.
 * @param follow is called during the repairs.
 */
export async function heal(db: Queryable, inBatch: InBatch, subject: Subject, follow: Following): Promise<void> {
  const checks = (await allChecks(db, subject)).filter((check) => check.repair);
  for (let round = 0; round < ROUNDS; round++) {
    const findings = await examine(db, checks);
    if (findings.length === 0) return;
    await follow.found(findings);
    for (const finding of findings) await repair(inBatch, finding, follow.repaired);
  }
}

async function allChecks(db: Queryable, subject: Subject): Promise<Check[]> {
  return [
    ...orphanChecks(subject),
    ...orderChecks(subject),
    ...documentChecks(subject, await defaultLocale(db)),
    ...sharedChecks(subject, db.dialect),
  ];
}
