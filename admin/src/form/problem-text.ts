/** The texts of problems that the schema reports. */
import type { Text } from '../language/messages.ts';
import { refusalText } from '../language/refusal-text.ts';
import type { Finding, Problem } from './values/problems.ts';

export function problemText(t: Text, { kind, limit, at }: Problem): string {
  if (kind === 'noJson' && at) return t('form.problem.noJsonAt', { line: at.line, column: at.column });
  switch (kind) {
    case 'tooLow':
      return t('form.problem.tooSmall', { limit: limit ?? '' });
    case 'tooFine':
      return t('form.problem.tooFine', { count: Number(limit) });
    case 'tooShort':
    case 'tooLong':
    case 'tooSmall':
    case 'tooLarge':
    case 'tooFew':
    case 'tooMany':
      return t(`form.problem.${kind}`, { limit: limit ?? '' });
    default:
      return t(`form.problem.${kind}`);
  }
}

/** The text of an error of a value, by the schema or of the server. */
export function findingText(t: Text, finding: Finding): string {
  return finding.problem ? problemText(t, finding.problem) : refusalText(t, finding);
}
