/** Deliberate differences in the answers to writes. */
import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../servers.ts';
import { failureOf } from './answers.ts';
import type { Look, Named } from './rules.ts';
import { keyOf } from './state.ts';
import type { Step } from './step.ts';
import { isObject } from './walk.ts';

export interface Answers {
  readonly reference: Answer;
  readonly galley: Answer;
}

export interface AnswerRule extends Named {
  /** The answers without the difference; undefined where there is none of this rule. */
  readonly edit: (step: Step, answers: Answers, look: Look) => Answers | undefined;
}

type Row = Readonly<Record<string, unknown>>;

/** In the order in which they are tried. */
export const ANSWER_RULES: readonly AnswerRule[] = [
  {
    name: 'created',
    page: 'a create answers 201',
    edit: (step, { reference, galley }) =>
      step.method === 'POST' && reference.status === 201 && galley.status === 200
        ? { reference, galley: { ...galley, status: 201 } }
        : undefined,
  },
  { name: 'error-path', page: 'some errors of zones, components and media have an empty `path`', edit: withoutPlaces },
  {
    name: 'surplus-keys',
    page: 'unknown keys of an entry in `connect`, `set` or `disconnect`',
    edit: withoutKey,
  },
  { name: 'missing-document', page: 'a write to a document that does not exist', edit: withoutTargets },
  { name: 'first-mistake', page: 'of several mistakes', edit: withoutNestedMistake },
  { name: 'stored', page: 'a link created or removed only in a draft', edit: asStored },
  { name: 'self-link', page: 'a link of a document to itself is missing', edit: withoutSelfLinks },
  { name: 'shared', page: 'a shared attribute that is published reaches', edit: withoutShared },
];

/** Places that the reference does not tell are not told by Galley either. */
function withoutPlaces(_step: Step, { reference, galley }: Answers): Answers | undefined {
  const [theirs, ours] = [failureOf(reference), failureOf(galley)];
  const [left, right] = [theirs?.details?.errors, ours?.details?.errors];
  if (!left || !right || theirs?.name !== ours?.name) return undefined;
  if (left.every(({ path }) => path.length === 0)) return { reference, galley: withErrors(galley, left) };
  if (left.length !== right.length) {
    // one mistake may come twice there, once without a place or for another reason
    const placed = left.filter(
      ({ path }, index) => path.length > 0 && left.findIndex((other) => isDeepStrictEqual(other.path, path)) === index,
    );
    return placed.length === right.length ? { reference: withErrors(reference, placed), galley } : undefined;
  }
  const errors = right.map((error, index) => (left[index]!.path.length === 0 ? { ...error, path: [] } : error));
  return { reference, galley: withErrors(galley, errors) };
}

/** The reference looks for documents inside of values that are wrong as a whole. */
function withoutNestedMistake(_step: Step, { reference, galley }: Answers): Answers | undefined {
  const id = /^Document with id "(.*)", locale ".*" not found$/.exec(failureOf(reference)?.message ?? '')?.[1];
  const errors = failureOf(galley)?.details?.errors ?? [];
  const inside = id !== undefined && errors.some(({ value }) => JSON.stringify(value ?? null).includes(`"${id}"`));
  return inside && galley.status === reference.status ? { reference: galley, galley } : undefined;
}

/** Of what a relation to any type does not know the reference names the attribute. */
function withoutKey({ type }: Step, { reference, galley }: Answers): Answers | undefined {
  const theirs = failureOf(reference)?.details as { key?: string } | undefined;
  const ours = failureOf(galley)?.details as { path?: string } | undefined;
  const relation = type.attributes.get(theirs?.key ?? '');
  const isOne = relation?.type === 'relation' && relation.target === undefined && ours?.path === theirs?.key;
  return isOne && galley.status === reference.status ? { reference: galley, galley } : undefined;
}

/** What the body alone shows to be wrong, and what it names, is looked at before the document or after it. */
function withoutTargets({ method, type }: Step, { reference, galley }: Answers): Answers | undefined {
  const { message = '', details } = failureOf(reference) ?? {};
  const relation = type.attributes.get((details as { key?: string } | undefined)?.key ?? '');
  const isAny = relation?.type === 'relation' && relation.target === undefined;
  const isTarget = isAny || /^Document with id ".*" not found$/.test(message);
  const isForm = failureOf(galley)?.message === 'Invalid relations';
  const [theirs, ours] = [reference.status, galley.status];
  const isEither = (theirs === 400 && isTarget && ours === 404) || (theirs === 404 && ours === 400 && isForm);
  return method === 'PUT' && isEither ? { reference: galley, galley } : undefined;
}

const withErrors = (answer: Answer, errors: readonly unknown[]): Answer => ({
  ...answer,
  body: { data: null, error: { ...failureOf(answer), details: { errors } } },
});

const dataOf = ({ body }: Answer): Row | undefined => {
  const { data } = (body ?? {}) as { data?: unknown };
  return isObject(data) ? data : undefined;
};

const withData = (answer: Answer, data: Row): Answer => ({ ...answer, body: { ...(answer.body as Row), data } });

function withoutSelfLinks({ type }: Step, { reference, galley }: Answers): Answers | undefined {
  const [theirs, ours] = [dataOf(reference), dataOf(galley)];
  if (!theirs || !ours) return undefined;
  const isSelf = (item: unknown) => isObject(item) && item['documentId'] === ours['documentId'];
  const edits = Object.entries(ours).flatMap(([name, value]) => {
    const attribute = type.attributes.get(name);
    if (attribute?.type !== 'relation' || attribute.target !== type.uid) return [];
    if ([theirs[name]].flat().some(isSelf)) return [];
    const rest = Array.isArray(value) ? value.filter((item) => !isSelf(item)) : isSelf(value) ? null : value;
    return [[name, rest]];
  });
  return edits.length === 0
    ? undefined
    : { reference, galley: withData(galley, { ...ours, ...Object.fromEntries(edits) }) };
}

/** Other versions in the answer have what was written of shared attributes. */
function withoutShared({ type }: Step, { reference, galley }: Answers): Answers | undefined {
  const [theirs, ours] = [dataOf(reference), dataOf(galley)];
  const [left, right] = [theirs?.['localizations'], ours?.['localizations']];
  if (!theirs || !ours || !Array.isArray(left) || !Array.isArray(right) || left.length !== right.length)
    return undefined;
  const versions = left.map((version: Row, index) => {
    const spread = [...type.attributes.values()].filter(
      ({ name, localized }) => !localized && name in version && (right[index] as Row)[name] === ours[name],
    );
    // the reference answers before it spreads, which moves the time
    const { updatedAt } = right[index] as Row;
    return { ...version, ...Object.fromEntries(spread.map(({ name }) => [name, ours[name]])), updatedAt };
  });
  return { reference: withData(reference, { ...theirs, localizations: versions }), galley };
}

/** What differs in what is stored as well, where it is judged, and what Galley answers as it stores it. */
function asStored({ type }: Step, { reference, galley }: Answers, look: Look): Answers | undefined {
  const [theirs, ours] = [dataOf(reference), dataOf(galley)];
  if (!theirs || !ours) return undefined;
  const { documentId, publishedAt, locale } = ours as { documentId: string; publishedAt: unknown; locale?: string };
  const status = type.draftAndPublish && publishedAt === null ? 'draft' : 'published';
  const row = keyOf(type.uid, documentId, status, locale);
  const stored = look.galley.get(row)?.content ?? {};
  const judged = look.gaps.flatMap(({ row: other, attribute = '' }) => {
    const isAnswered = other === row && attribute in ours;
    return isAnswered && isDeepStrictEqual(essenceOf(ours[attribute]), essenceOf(stored[attribute])) ? [attribute] : [];
  });
  if (judged.length === 0) return undefined;
  const same = Object.fromEntries(judged.map((attribute) => [attribute, ours[attribute]]));
  return { reference: withData(reference, { ...theirs, ...same }), galley };
}

/** Of linked documents the names, since answers show more of them. */
function essenceOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(essenceOf);
  return isObject(value) && 'documentId' in value ? `${value['documentId']} ${value['locale']}` : value;
}
