/** Why a document prevents a release. */
import type { ReleaseProblem } from '../../../contract/releases.ts';
import type { Schema } from '../../../contract/schema.ts';
import { fieldName } from '../../form/values/field-name.ts';
import type { Path } from '../../form/values/model.ts';
import type { Text } from '../../language/messages.ts';
import { refusalText } from '../../language/refusal-text.ts';

/** The first mistake in the values, or why the document as a whole cannot be published. */
export function problemText(t: Text, schema: Schema | undefined, problem: ReleaseProblem): string {
  const [first] = problem.errors;
  const text = refusalText(t, first ?? problem);
  const model = schema?.contentTypes.find(({ uid }) => uid === problem.action.uid);
  const field = schema && model && first ? fieldName(schema, model, first.path as Path) : '';
  return field === '' ? text : `${field}: ${text}`;
}
