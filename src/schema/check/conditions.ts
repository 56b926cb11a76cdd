/** Checks the `conditions` of an attribute, in JSON Logic (docs/reference/schemas.md, "Conditions"). */
import { isObject } from '../../plain-values.ts';
import type { RawSchema } from '../built-in.ts';
import { MOST_LEVELS, OF_ITEMS, OPERATORS, operationOf, pathsOf } from '../json-logic.ts';
import type { Findings } from './problem.ts';

const EXAMPLE = '{ "visible": { "==": [{ "var": "kind" }, "external"] } }';

/** The place of a part of a condition, and the names that it may use. */
interface Scope {
  readonly file: string;
  readonly findings: Findings;
  /** The attributes of the model; undefined inside the items of a list. */
  readonly siblings: RawSchema | undefined;
}

/**
 * Reports all mistakes in the conditions of an attribute.
 *
 * @param siblings the attributes that a condition may refer to, as in the schema file.
 */
export function checkConditions(
  file: string,
  attribute: readonly string[],
  conditions: unknown,
  siblings: RawSchema,
  findings: Findings,
): void {
  if (conditions == null) return;
  const at = [...attribute, 'conditions'];
  if (!isObject(conditions)) {
    findings.problem(file, at, `must be an object such as ${EXAMPLE}`);
    return;
  }
  for (const key of Object.keys(conditions)) {
    if (key !== 'visible') findings.warning(file, [...at, key], 'has no effect: the only condition is visible');
  }
  const { visible } = conditions;
  // the reference's editor leaves an empty object when a condition is removed
  if (visible == null || (isObject(visible) && Object.keys(visible).length === 0)) return;
  if (!operationOf(visible)) {
    findings.problem(file, [...at, 'visible'], `must be a condition in JSON Logic, such as in ${EXAMPLE}`);
    return;
  }
  checkPart(visible, [...at, 'visible'], 1, { file, findings, siblings });
}

function checkPart(part: unknown, at: readonly (string | number)[], level: number, scope: Scope): void {
  const { file, findings } = scope;
  if (Array.isArray(part)) {
    for (const [index, item] of part.entries()) checkPart(item, [...at, index], level, scope);
    return;
  }
  if (!isObject(part)) return;
  const operation = operationOf(part);
  if (!operation) {
    const names = Object.keys(part).join(', ');
    findings.problem(file, at, `must have one key, the operator, instead of ${names === '' ? 'none' : names}`);
    return;
  }
  const [name, operands] = operation;
  const here = [...at, name];
  if (level > MOST_LEVELS) {
    findings.problem(file, at, `is too deep: operators may be nested in ${MOST_LEVELS} levels`);
    return;
  }
  if (!OPERATORS.has(name)) {
    findings.problem(
      file,
      here,
      `unknown operator ${name}: the operators are ${[...OPERATORS.keys()].join(', ')}`,
      name,
      OPERATORS.keys(),
    );
    return;
  }
  for (const path of pathsOf(name, operands)) checkPath(path, here, scope);
  for (const [index, operand] of operands.entries()) {
    const isOfItems = OF_ITEMS.has(name) && index > 0;
    checkPart(operand, [...here, index], level + 1, isOfItems ? { ...scope, siblings: undefined } : scope);
  }
}

function checkPath(path: unknown, at: readonly (string | number)[], { file, findings, siblings }: Scope): void {
  if (typeof path !== 'string' && typeof path !== 'number') {
    findings.problem(file, at, `must name an attribute, such as "kind", instead of ${JSON.stringify(path)}`);
    return;
  }
  if (!siblings) return;
  const [name = '', ...steps] = String(path).split('.');
  const sibling = siblings[name];
  if (!isObject(sibling)) {
    const known = Object.keys(siblings);
    findings.problem(file, at, `there is no attribute ${JSON.stringify(name)} beside this one`, name, known);
  } else if (sibling['type'] === 'password') {
    findings.problem(file, at, `${name} is a password, which no condition can read`);
  } else if (steps.length > 0 && ['relation', 'media'].includes(String(sibling['type']))) {
    const message = `${name} is a ${sibling['type']}: a condition can ask whether it is set, with { "var": "${name}" }`;
    findings.problem(file, at, message);
  }
}
