/** A compiled statement: its text, and how the values of a request become its parameters. */
import type { SlotKind } from '../plan/read-plan.ts';
import { columnKind, type Dialect } from './dialect.ts';
import { render, type Sql, type SqlValue } from './fragment.ts';
import { bindValue } from './values.ts';

export interface Statement {
  readonly text: string;
  /** For each parameter, the slot and kind of its value. */
  readonly parameters: readonly { readonly slot: number; readonly kind: SlotKind }[];
}

/** Renders SQL for a dialect. Every slot must have a kind. */
export function makeStatement(dialect: Dialect, fragment: Sql, kinds: ReadonlyMap<number, SlotKind>): Statement {
  const { text, order } = render(fragment, (n) => dialect.placeholder(n));
  const parameters = order.map((slot) => {
    const kind = kinds.get(slot);
    if (!kind) throw new Error(`slot ${slot} has no kind`);
    return { slot, kind };
  });
  return { text, parameters };
}

/**
 * The text of a statement whose values are given in the order of its slots.
 *
 * @throws Error if slots are in another order, or one appears twice.
 */
export function textInOrder(dialect: Dialect, fragment: Sql): string {
  const { text, order } = render(fragment, (n) => dialect.placeholder(n));
  if (order.some((slot, index) => slot !== index)) throw new Error(`a value is used out of order: ${text}`);
  return text;
}

/** Whether a value of these parameters needs the engine's wide dialect: see `Dialect.wide`. */
export function needsWide({ wide }: Dialect, statement: Statement, parameters: readonly SqlValue[]): boolean {
  if (!wide) return false;
  return statement.parameters.some(
    ({ kind }, index) => kind.kind === 'value' && !wide.takes(parameters[index]!, columnKind(kind.type)),
  );
}

/** The parameters that are queries of search indexes; null for a piece that cannot be searched. */
export function questionsOf(statement: Statement, parameters: readonly SqlValue[]): SqlValue[] {
  return parameters.filter((_, index) => statement.parameters[index]!.kind.kind === 'search');
}

/**
 * The parameters of one request.
 *
 * @param valueAt returns the value of a slot.
 * @throws ContentError 400 for a value that its column cannot contain.
 */
export function bind(dialect: Dialect, statement: Statement, valueAt: (slot: number) => unknown): SqlValue[] {
  return statement.parameters.map(({ slot, kind }) => bindValue(dialect, kind, valueAt(slot)));
}
