/** How commands list what a transfer does not take as it is, and what `--skip` permits. */
import { UsageError } from '../errors.ts';
import { meant } from '../nearest.ts';
import type { Findings } from '../transfer/report.ts';
import { FINDING_KINDS, type FindingKind } from '../transfer/rows.ts';
import type { Surroundings } from './command.ts';

/** @throws UsageError for a kind that does not exist. */
export function skippedKinds(values: readonly string[]): ReadonlySet<FindingKind> {
  const kinds = values.flatMap((value) => value.split(',').map((kind) => kind.trim()));
  const known: readonly string[] = FINDING_KINDS;
  const wrong = kinds.find((kind) => !known.includes(kind));
  if (wrong !== undefined) {
    const hint = meant(wrong, known) || `: the kinds are ${known.join(', ')}`;
    throw new UsageError(`--skip ${wrong} is no kind${hint}`);
  }
  return new Set(kinds as FindingKind[]);
}

/** Prints what does not fit. Returns whether anything of it is not to be skipped. */
export function listFindings(
  findings: Findings,
  skipped: ReadonlySet<FindingKind>,
  { print, warn }: Surroundings,
): boolean {
  for (const line of findings.lines()) print(line);
  const refused = [...findings.kinds.keys()].filter((kind) => !skipped.has(kind));
  if (refused.length === 0) return false;
  warn(`to accept this, add ${refused.map((kind) => `--skip ${kind}`).join(' ')}`);
  return true;
}
