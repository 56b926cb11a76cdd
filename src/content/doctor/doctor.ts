/**
 * Looks a project's database over and repairs what can be repaired without losing content: documents' rows are never
 * deleted. Everything runs in one transaction of the caller's.
 */
import { defaultLocale } from '../locales/locales.ts';
import type { Store } from '../writing/system-rows.ts';
import type { WriteContext } from '../writing/write-context.ts';
import { type Check, examine, type Finding, repair } from './check.ts';
import { documentChecks } from './documents.ts';
import { orderChecks } from './orders.ts';
import { orphanChecks, type Subject } from './orphans.ts';
import { sharedChecks } from './shared.ts';

/** Rounds of repairing: what is inside a component that goes is an orphan of the next round. */
const ROUNDS = 20;

/** Everything that is wrong. */
export async function diagnose(store: Store, subject: Subject): Promise<Finding[]> {
  return examine(store, await allChecks(store, subject));
}

/**
 * Repairs what can be repaired, until nothing of it is found. What is left is what `diagnose` gives afterwards.
 *
 * @param found told of the findings of each round, before they are repaired.
 */
export async function heal(
  store: Store,
  context: WriteContext,
  subject: Subject,
  found: (findings: readonly Finding[]) => void,
): Promise<void> {
  const checks = (await allChecks(store, subject)).filter((check) => check.repair);
  for (let round = 0; round < ROUNDS; round++) {
    const findings = await examine(store, checks);
    if (findings.length === 0) return;
    found(findings);
    for (const finding of findings) await repair(store, context, finding);
  }
}

async function allChecks(store: Store, subject: Subject): Promise<Check[]> {
  return [
    ...orphanChecks(subject),
    ...orderChecks(subject),
    ...documentChecks(subject, await defaultLocale(store)),
    ...sharedChecks(subject, store.dialect),
  ];
}
