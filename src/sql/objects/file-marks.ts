/** The marks of files in a private store, by which their addresses are found in an answer and signed. */
import type { FileMarks, MarkedFile } from '../../plan/read-plan.ts';
import { type Compiler, col } from '../compiler.ts';
import { join, literal, type Sql, sql } from '../fragment.ts';

/** Whether a file is in the private store, by what its row says in `provider`. */
function ofStore(provider: Sql, { providers }: FileMarks): Sql {
  return sql`${provider} in (${join(providers.map(literal), ', ')})`;
}

/** What precedes a file's addresses: the token for files of the private store, else nothing. */
export function compileMark(row: Sql, { marks, providerColumn }: MarkedFile): Sql {
  const ours = ofStore(col(row, providerColumn), marks);
  return sql`case when ${ours} then ${literal(marks.token)} else '' end`;
}

/** Whether the address of a file is one that gets signed, as JSON. */
export function compileSigned({ dialect }: Compiler, row: Sql, { marks, providerColumn, urlColumn }: MarkedFile): Sql {
  const ours = ofStore(col(row, providerColumn), marks);
  const bases = marks.bases.map((base) => dialect.matches(col(row, urlColumn), literal(base), 'startsWith'));
  const signed = sql`${ours} and (${join(bases, ' or ')})`;
  return sql`case when ${signed} then ${dialect.json.flag(true)} else ${dialect.json.flag(false)} end`;
}
