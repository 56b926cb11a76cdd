/** Deliberate differences of writes that the request alone shows. */
import type { Attribute } from '../../../src/schema/catalog.ts';
import { type Context, makesVersion, type Named } from './rules.ts';
import { documentOf, LOCALES, localeOf, paramOf, type Step } from './step.ts';
import { isObject, mentions, replaced } from './walk.ts';

/**
 * Either the reference is sent what means there what the step means here, so that both must answer alike; or Galley
 * refuses, is asked alone, and must leave everything as it was.
 */
export type RequestRule = Named & { readonly applies: (step: Step, context: Context) => boolean } & (
    | { readonly refused: RegExp }
    | { readonly translate: (step: Step, context: Context) => Step }
  );

const isList = (attribute: Attribute): boolean =>
  attribute.type === 'dynamiczone' || (attribute.type === 'component' && attribute.repeatable);

const nullList = (attribute: Attribute, value: unknown): boolean => isList(attribute) && value === null;

export const REQUEST_RULES: readonly RequestRule[] = [
  {
    name: 'unknown-status',
    page: 'an unknown `status` on a write stores a draft',
    applies: (step) => {
      const status = paramOf(step, 'status');
      return status !== undefined && status !== 'draft' && status !== 'published';
    },
    refused: /status|locale/,
  },
  {
    name: 'unknown-locale',
    page: 'codes that are not a locale of the project are stored',
    applies: (step) => {
      const locale = localeOf(step);
      return step.type.localized && locale !== undefined && locale !== '*' && !LOCALES.includes(locale);
    },
    refused: /locale|draft/i,
  },
  {
    name: 'empty-locale',
    page: '`DELETE` with an empty `locale`',
    applies: (step) => step.method === 'DELETE' && step.type.localized && paramOf(step, 'locale') === '',
    refused: /locale|draft/i,
  },
  {
    name: 'deleted-draft',
    page: '`DELETE` with `status=draft`',
    // where there is something to remove the reference fails
    applies: (step, { stored }) =>
      step.method === 'DELETE' &&
      step.type.draftAndPublish &&
      step.type.kind === 'singleType' &&
      paramOf(step, 'status') === 'draft' &&
      stored.size === 0,
    refused: /^A draft cannot be deleted/,
  },
  {
    name: 'shared-in-version',
    page: 'the body that creates a version may contain shared attributes',
    applies: (step, context) =>
      makesVersion(step, context) &&
      isObject(step.data) &&
      Object.keys(step.data).some((key) => step.type.attributes.get(key)?.localized === false),
    refused: /./,
  },
  {
    name: 'surplus-keys',
    page: 'unknown keys of an entry in `connect`, `set` or `disconnect`',
    applies: ({ data }) =>
      /"(set|connect|disconnect)":\[\{[^[\]]*("surplus":|"position":\{"nowhere":)/.test(JSON.stringify(data ?? null)),
    refused: /^(Invalid key surplus at |position at )/,
  },
  {
    name: 'twice',
    page: 'the same document twice in one `connect`',
    applies: ({ type, data }, { catalog }) =>
      mentions(catalog, type, data, (attribute, value) => {
        const entries = attribute.type === 'relation' && isObject(value) ? [value['connect'] ?? []].flat() : [];
        return new Set(entries.map((entry) => JSON.stringify(entry))).size < entries.length;
      }),
    refused: / is connected twice at /,
  },
  {
    name: 'unknown-rows',
    page: 'a row id in `disconnect` that no row has',
    applies: ({ method, type, data }, { catalog, rows, stored }) =>
      // a document that is not there is told first, by both
      (method === 'POST' || type.kind === 'singleType' || stored.size > 0) &&
      mentions(catalog, type, data, (attribute, value) => {
        const leaving =
          attribute.type === 'relation' && isObject(value) ? JSON.stringify(value['disconnect'] ?? null) : '';
        return (leaving.match(/@row [^"]+/g) ?? []).some((name) => !rows.has(name));
      }),
    refused: /^Invalid (key|relations)|(do not exist|not found)$|^\d+ errors occurred$/,
  },
  {
    name: 'no-relation',
    page: 'a relation written as `true`',
    applies: ({ type, data }, { catalog }) =>
      mentions(catalog, type, data, (attribute, value) => attribute.type === 'relation' && value === true),
    refused: /^Invalid relations$/,
  },
  {
    name: 'whole-document',
    page: '`DELETE` without `locale`',
    applies: (step) => step.method === 'DELETE' && step.type.localized && paramOf(step, 'locale') === undefined,
    translate: (step) => ({ ...step, params: [...step.params, 'locale=*'] }),
  },
  {
    name: 'null-list',
    page: '`null` for a repeatable component or a zone',
    applies: (step, { catalog }) => mentions(catalog, step.type, step.data, nullList),
    translate: (step, { catalog }) => ({
      ...step,
      data: replaced(catalog, step.type, step.data, (attribute, value) => (nullList(attribute, value) ? [] : value)),
    }),
  },
  {
    name: 'row-ids',
    page: 'a row id in a relation links that row',
    applies: ({ data }, { rows }) =>
      [...rows.keys()].some((name) => JSON.stringify(data ?? null).includes(`"${name}"`)),
    translate: (step, { rows }) => ({ ...step, data: byDocument(step.data, rows) }),
  },
];

/** The body with documents in place of their rows. */
function byDocument(value: unknown, rows: ReadonlyMap<string, number>): unknown {
  if (typeof value === 'string') return rows.has(value) ? documentOf(value) : value;
  if (Array.isArray(value)) return value.map((item) => byDocument(item, rows));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      key === 'id' && typeof item === 'string' && rows.has(item)
        ? ['documentId', documentOf(item)]
        : [key, byDocument(item, rows)],
    ),
  );
}
