/** Where the answers to a write differ. */
import { difference } from '../../../bench/difference.ts';
import type { Answer } from '../servers.ts';

/** What is told of an error. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly details?: {
    readonly errors?: readonly {
      readonly path: readonly string[];
      readonly name: string;
      readonly value?: unknown;
    }[];
  };
}

export const failureOf = ({ body }: Answer): Failure | undefined => (body as { error?: Failure } | null)?.error;

/**
 * Where two answers differ. Of errors the status, the name, the details and the places are compared, and the message
 * where it names a key.
 */
export function comparedAnswers(reference: Answer, galley: Answer): string | undefined {
  if (reference.status !== galley.status) {
    return `.status: ${reference.status} and ${galley.status} ${JSON.stringify((galley.status > reference.status ? galley : reference).body).slice(0, 300)}`;
  }
  if (reference.status < 400) return difference(reference.body, galley.body);
  const wrong = difference(essence(reference.body), essence(galley.body));
  return wrong && `${wrong} (${failureOf(reference)?.message} | ${failureOf(galley)?.message})`;
}

function essence(body: unknown): unknown {
  const error = (body as { error?: Failure } | null)?.error;
  if (error === undefined) return body;
  const { name, message, details } = error;
  const { errors, ...rest } = details ?? {};
  const places = errors?.map(({ path, name: kind }) => `${path.join('.')} ${kind}`).sort();
  return { name, details: rest, places, ...(message.startsWith('Invalid key') ? { message } : {}) };
}
