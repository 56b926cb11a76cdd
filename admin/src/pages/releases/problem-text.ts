/** Why a document prevents a release. */
import type { ReleaseProblem } from '../../../contract/releases.ts';
import type { Text } from '../../language/messages.ts';
import { refusalText } from '../../language/refusal-text.ts';

/** The first mistake in the values, or why the document as a whole cannot be published. */
export function problemText(t: Text, problem: ReleaseProblem): string {
  const [first] = problem.errors;
  const place = first?.path.map(String).join('.') ?? '';
  const text = refusalText(t, first ?? problem);
  return place === '' ? text : `${place}: ${text}`;
}
