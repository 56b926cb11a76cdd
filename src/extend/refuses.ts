/**
 * Whether code may refuse a request, as far as its text shows: information for the administrator, no ground to open
 * anything.
 */
import type { Module } from './reading/module.ts';
import { type AnyNode, keyOf, plain, walk } from './reading/syntax.ts';
import type { Value } from './reading/values.ts';
import type { Sources } from './sources.ts';

/** Methods of a request's context that refuse it. */
const REFUSING: ReadonlySet<string> = new Set([
  'throw',
  'assert',
  'forbidden',
  'unauthorized',
  'badRequest',
  'notFound',
  'notAcceptable',
  'conflict',
  'tooManyRequests',
  'paymentRequired',
  'methodNotAllowed',
]);

/** Whether a piece of code throws, answers with an error, or hands the request to code of which that is not known. */
export function mayRefuse(node: AnyNode, module: Module, sources: Sources, seen: Set<AnyNode> = new Set()): boolean {
  if (seen.has(node)) return false;
  seen.add(node);
  let refuses = false;
  walk(node, (inner) => {
    if (inner.type === 'ThrowStatement') refuses = true;
    if (inner.type === 'AssignmentExpression' && inner.left.type === 'MemberExpression') {
      refuses ||= keyOf(inner.left) === 'status';
    }
    if (inner.type !== 'CallExpression' || refuses) return;
    const callee = plain(inner.callee);
    if (callee.type === 'MemberExpression') refuses = REFUSING.has(keyOf(callee) ?? '');
    else if (callee.type === 'Identifier') {
      const called = sources.values.read(callee, module);
      if (called.kind === 'function') refuses = mayRefuse(called.node, called.module, sources, seen);
    }
  });
  return refuses;
}

/** The same of a value: anything but a function that can be read may refuse. */
export function valueMayRefuse(value: Value, sources: Sources): boolean {
  return value.kind !== 'function' || mayRefuse(value.node, value.module, sources);
}
