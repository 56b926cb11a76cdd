/**
 * How much one read may ask for. A query string of 16 KiB can name more relations than any engine joins in a
 * reasonable time, so plans have limits; `docs/reference/limits.md` lists them.
 */
import { validation } from '../errors.ts';
import { queryLimits } from '../query/params.ts';
import type { Member, PlanCondition, PlanOrder, ReadPlan } from './read-plan.ts';

/** Counted over the whole request, populated relations' own filters and orders included. */
export const planLimits = {
  /** Relations, components, zones and their kinds that are populated, each as often as it is written. */
  populated: 1000,
  /** Relations that filters go through: planners take quadratic time over them. */
  filterSteps: 50,
  /** Keys to sort by. */
  sortKeys: 100,
  /** Relations that keys to sort by go through. */
  sortSteps: 40,
} as const;

interface Size {
  populated: number;
  filterSteps: number;
  sortKeys: number;
  sortSteps: number;
}

/**
 * Refuses a plan that is larger than the limits.
 *
 * @throws ContentError 400 that names the limit.
 */
export function checkSize(plan: ReadPlan): void {
  const size: Size = { populated: 0, filterSteps: 0, sortKeys: 0, sortSteps: 0 };
  if (plan.where) addCondition(size, plan.where);
  if (plan.list) addOrder(size, plan.list.order);
  addMembers(size, plan.members, 1);
  refuse('populate', size.populated, planLimits.populated, 'relations');
  refuse('filter through', size.filterSteps, planLimits.filterSteps, 'relations');
  refuse('sort by', size.sortKeys, planLimits.sortKeys, 'keys');
  refuse('sort through', size.sortSteps, planLimits.sortSteps, 'relations');
}

function refuse(verb: string, count: number, limit: number, noun: string): void {
  if (count > limit) throw validation(`A request can ${verb} at most ${limit} ${noun}`);
}

function addMembers(size: Size, members: readonly Member[], level: number): void {
  for (const member of members) {
    if (member.kind !== 'related' && member.kind !== 'parts') continue;
    if (level > queryLimits.relationDepth) throw tooDeep('populate');
    size.populated++;
    if (member.kind === 'related') {
      if (member.where) addCondition(size, member.where);
      addOrder(size, member.order);
      addMembers(size, member.members, level + 1);
      continue;
    }
    for (const part of member.parts) {
      size.populated++;
      if (part.where) addCondition(size, part.where);
      addMembers(size, part.members, level + 1);
    }
  }
}

function addCondition(size: Size, condition: PlanCondition): void {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const item of condition.items) addCondition(size, item);
      break;
    case 'exists':
      size.filterSteps++;
      addCondition(size, condition.item);
      break;
    case 'none':
      size.filterSteps++;
  }
}

function addOrder(size: Size, orders: readonly PlanOrder[]): void {
  for (const { targets } of orders) {
    if (targets.length > queryLimits.relationDepth) throw tooDeep('sort');
    size.sortKeys++;
    size.sortSteps += targets.length;
  }
}

const tooDeep = (param: string) =>
  validation(`${param} can follow at most ${queryLimits.relationDepth} relations one behind the other`);
