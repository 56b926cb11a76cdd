/**
 * An upper bound of the cost of a read, from its plan and the numbers of rows of its tables. Indexes make most reads
 * far cheaper. The lanes use it to decide which reads may be slow (`db/scheduling/lanes.ts`).
 */
import type { Member, PlanCondition, PlanOrder, ReadPlan, Step, Target } from './read-plan.ts';

/** A product of row counts: of one table, or of several whose rows multiply. */
export interface CostTerm {
  readonly tables: readonly string[];
  /** Microseconds for each row of the product. */
  readonly weight: number;
}

export interface ReadCost {
  readonly terms: readonly CostTerm[];
  /** Whether the amount of work depends on the values of the request, as for ranges and pieces of text. */
  readonly dependsOnValues: boolean;
  /** Whether an index finds the rows by the values: measurements then apply only to equal values. */
  readonly byValues?: boolean;
}

/** Microseconds, measured and rounded up. */
const ROW = 0.3;
const TEST = 0.15;
const TEXT_TEST = 1.5;
const SORT_KEY = 0.5;
/** A row of a table that a preview replaces may be copied. */
const COPY = 1;
/** A populated row becomes an object of the answer. */
const OBJECT = 3;

/**
 * The number of parts in which rows after a cursor are searched, each of which may examine all rows (`sql/cursor.ts`).
 */
const PARTS = 4;

/** Operators that select equally few rows whatever their operand is. */
const SELECTIVE: ReadonlySet<string> = new Set(['$eq', '$eqi', '$in', 'isNull', 'notNull']);
const OF_TEXT = /^\$(?:not)?(?:contains|starts|ends)/i;

class Summary {
  terms: CostTerm[] = [];
  dependsOnValues = false;
  byValues = false;

  add(tables: readonly string[], weight: number): void {
    this.terms.push({ tables, weight });
  }

  /** Multiplies the cost added so far. */
  repeat(times: number): void {
    this.terms = this.terms.map(({ tables, weight }) => ({ tables, weight: weight * times }));
  }
}

export function costOf(plan: ReadPlan): ReadCost {
  const summary = new Summary();
  const isOne = plan.tests.some(({ kind }) => kind === 'documentId' || kind === 'rowId');
  if (!isOne) summary.add([plan.table], ROW + plan.tests.length * TEST);
  for (const condition of [plan.rows, plan.where]) if (condition) addCondition(summary, [plan.table], condition);
  if (plan.list) addOrder(summary, [plan.table], plan.list.order);
  if (plan.list?.cursor?.after) summary.repeat(PARTS);
  addMembers(summary, [], plan.members);
  for (const { table } of plan.preview?.tables ?? []) summary.add([table], COPY);
  if (plan.search) {
    summary.dependsOnValues = false;
    summary.byValues = true;
  }
  return summary;
}

/** @param tables their product is the number of evaluations of the condition. */
function addCondition(summary: Summary, tables: readonly string[], condition: PlanCondition): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const item of condition.items) addCondition(summary, tables, item);
      break;
    case 'test':
      if (!SELECTIVE.has(condition.operator) || condition.outcome !== 'true') summary.dependsOnValues = true;
      summary.add(tables, (OF_TEXT.test(condition.operator) ? TEXT_TEST : TEST) * Math.max(1, condition.slots.length));
      break;
    case 'exists':
      // each step is evaluated once, over its links and its target's rows
      addStep(summary, condition.target);
      addCondition(summary, [condition.target.table], condition.item);
      break;
    case 'none':
      addStep(summary, condition.target);
      if (condition.item) addCondition(summary, [condition.target.table], condition.item);
  }
}

function addStep(summary: Summary, { step, table, rows }: Target): void {
  summary.add([table], ROW);
  if (rows) addCondition(summary, [table], rows);
  const links = linksOf(step);
  if (links) summary.add([links], ROW);
}

function addOrder(summary: Summary, tables: readonly string[], orders: readonly PlanOrder[]): void {
  for (const { targets } of orders) {
    summary.add(tables, SORT_KEY);
    for (const target of targets) addStep(summary, target);
  }
}

/**
 * @param around the tables whose product bounds the number of rows that have the members; none: the rows of one page.
 */
function addMembers(summary: Summary, around: readonly string[], members: readonly Member[]): void {
  for (const member of members) {
    if (member.kind === 'related') {
      const { target, cardinality } = member;
      const rows = cardinality === 'one' ? around : [...around, linksOf(target.step) ?? target.table];
      summary.add(rows, cardinality === 'count' ? ROW : OBJECT);
      for (const condition of [target.rows, member.where]) if (condition) addCondition(summary, rows, condition);
      addOrder(summary, rows, member.order);
      addMembers(summary, rows, member.members);
    } else if (member.kind === 'parts') {
      const { source } = member;
      const rows = source.kind === 'morphColumns' ? around : [...around, source.table];
      summary.add(rows, OBJECT);
      for (const part of member.parts) {
        for (const condition of [part.rows, part.where]) if (condition) addCondition(summary, rows, condition);
        addMembers(summary, rows, part.members);
      }
    }
  }
}

/** The link table of a step; undefined if the rows themselves store the ids. */
function linksOf(step: Step): string | undefined {
  return 'table' in step ? step.table : undefined;
}
