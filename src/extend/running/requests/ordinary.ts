/** Values of a request as objects of the usual kind: project code calls their methods. */

/** A copy of lists and of objects without a prototype as objects that have one. */
export function ordinary(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordinary);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, ordinary(inner)]));
}
