/** The forms in which a body refers to documents, brought to one. */

export interface Reference {
  readonly documentId: string;
  readonly locale?: string;
  readonly status?: 'draft' | 'published';
  /** Uid of the target, where the relation may lead to any type. */
  readonly type?: string;
  /** What a morph row says in its `field` column. */
  readonly field?: string;
}

type Written = string | (Omit<Reference, 'type'> & { readonly __type?: string });

/** Whether a media value is a documentId and no row id. */
export const isReference = (value: unknown): value is string => typeof value === 'string' && !/^\d+$/.test(value);

/** Every reference of a value: one, a list, or what `referTo` made. */
export function referencesOf(value: unknown): Reference[] {
  if (value === null || value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(oneReference);
}

function oneReference(value: Written): Reference {
  if (typeof value === 'string') return { documentId: value };
  const { __type: type, ...rest } = value;
  return type === undefined ? rest : { ...rest, type };
}

/** What a relation holds after a body's value was applied to it: `connect` appends, `disconnect` takes away. */
export function referTo(before: unknown, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { connect, disconnect, set } = value as Record<string, unknown>;
  if (set !== undefined) return set;
  if (connect === undefined && disconnect === undefined) return value;
  const gone = new Set(referencesOf(disconnect).map((entry) => entry.documentId));
  const added = referencesOf(connect);
  for (const entry of added) gone.add(entry.documentId);
  return [...referencesOf(before).filter((entry) => !gone.has(entry.documentId)), ...added];
}
