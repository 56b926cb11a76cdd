/**
 * The changes that a write told, against what readers saw before and after it. Whatever differs of a version's own
 * content must be told, and what is told must be seen. Relations stand between: they may differ because of a write to
 * the document at the other end, which is that one's change.
 */
import type { Change } from '../../src/db/interface/change.ts';
import { answeredView, type View } from './reading.ts';
import type { Model, Schema } from './schema.ts';

/** One version as a reader sees it, as text. */
interface Seen {
  readonly whole: string;
  /** Without relations. */
  readonly own: string;
}

export type Snapshot = Map<string, Seen>;

// biome-ignore lint/suspicious/noExplicitAny: answers are of any form
type Answer = any;

/** Adds an answer to a snapshot. What is told of a type without drafts is what readers of either status see of it. */
export function see(snapshot: Snapshot, schema: Schema, model: Model, status: string, answer: Answer): void {
  const times = [answer.createdAt, answer.updatedAt, answer.publishedAt];
  const view = answeredView(schema, model.uid, answer, new Map());
  const version = versionOf(model.uid, answer.documentId, answer.locale, model.drafts ? status : 'published');
  snapshot.set(version, {
    whole: `${snapshot.get(version)?.whole ?? ''}${JSON.stringify([times, view])}`,
    own: JSON.stringify([times, withoutRelations(schema, model.uid, view)]),
  });
}

/** What of the changes told does not agree with what was seen; undefined where all does. */
export function disagreement(before: Snapshot, after: Snapshot, told: readonly Change[]): string | undefined {
  const changed = new Map(
    told.map((change) => [versionOf(change.uid, change.documentId, change.locale, change.status), change]),
  );
  if (changed.size < told.length) return `a version is told twice: ${JSON.stringify(told)}`;
  for (const version of new Set([...before.keys(), ...after.keys(), ...changed.keys()])) {
    const [was, is, change] = [before.get(version), after.get(version), changed.get(version)];
    if (!change && was?.own !== is?.own) return `${version} differs, but no change was told`;
    if (!change) continue;
    if (was?.whole === is?.whole) return `${version} is told as ${change.kind}, but nothing differs`;
    if ((was === undefined) !== (change.before === undefined) || (is === undefined) !== (change.after === undefined)) {
      return `${version} is told as ${change.kind} from row ${change.before} to ${change.after}`;
    }
    if (!kindsOf(was, is, change).includes(change.kind)) return `${version} is told as ${change.kind}`;
  }
  return undefined;
}

/** A version that the history has recorded. */
export interface Recorded {
  readonly uid: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly status: string;
  readonly content: Answer;
}

/**
 * What of the versions that a write has recorded does not agree with what was seen before it: each version whose own
 * content differs must be recorded as it was, once.
 */
export function misrecorded(
  before: Snapshot,
  after: Snapshot,
  schema: Schema,
  recorded: readonly Recorded[],
): string | undefined {
  const versions = new Map<string, string>();
  for (const { uid, documentId, locale, status, content } of recorded) {
    const version = versionOf(uid, documentId, locale, status);
    if (versions.has(version)) return `${version} is recorded twice`;
    const times = [content.createdAt, content.updatedAt, content.publishedAt];
    const view = answeredView(schema, uid, content, new Map());
    versions.set(version, JSON.stringify([times, view]));
    const was = before.get(version);
    // a version of a type without drafts was seen with the drafts that it links, or with published documents
    if (!was?.whole.includes(versions.get(version)!)) {
      return `${version} is recorded as ${versions.get(version)}, and was ${was?.whole}`;
    }
  }
  for (const [version, was] of before) {
    if (was.own !== after.get(version)?.own && !versions.has(version)) return `${version} differs, and is not recorded`;
  }
  return undefined;
}

/** What a change may be called that readers see so. */
function kindsOf(was: Seen | undefined, is: Seen | undefined, { status }: Change): string[] {
  if (!is) return status === 'published' ? ['deleted', 'unpublished'] : ['deleted'];
  if (!was) return status === 'published' ? ['created', 'published'] : ['created'];
  return status === 'published' ? ['updated', 'published'] : ['updated', 'discarded'];
}

const versionOf = (uid: string, documentId: string, locale: string | null | undefined, status: string): string =>
  `${uid} ${documentId} ${locale ?? ''} ${status}`;

function withoutRelations(schema: Schema, uid: string, view: View): View {
  const own: View = {};
  for (const attribute of schema.get(uid)!.attributes.values()) {
    const value = view[attribute.name];
    if (attribute.kind === 'scalar') own[attribute.name] = value;
    else if (attribute.kind === 'parts') {
      const part = (one: View | null) =>
        one && {
          kind: one['__component'],
          ...withoutRelations(schema, String(one['__component'] ?? attribute.components[0]), one),
        };
      own[attribute.name] = Array.isArray(value) ? value.map(part) : part(value as View | null);
    }
  }
  return own;
}
