/**
 * The rules that choose among a document's rows: draft or published, locale, cohort
 * (docs/reference/query-parameters.md, "Locale", "Status and publication"). No other module knows them.
 */
import type { Cohort, Status } from '../query/content-query.ts';
import { type ContentType, FILE_UID, type Model } from '../schema/catalog.ts';
import { conjuncts, type PlanCondition, type RowTest } from './read-plan.ts';

/** The status and cohort of a request, which apply to all rows of its answer. */
export interface Variant {
  /** Undefined: rows of either status. */
  readonly status: Status | undefined;
  readonly cohort: Cohort | undefined;
}

/**
 * The variant of a request on a type; the default status is `published`. Reads of files have no status, because every
 * row that uses a file is related to it (docs/reference/files.md).
 */
export function variantOf(
  type: ContentType,
  status: Status | 'either' | undefined,
  cohort: Cohort | undefined,
): Variant {
  if (type.uid === FILE_UID || status === 'either') return { status: undefined, cohort: undefined };
  return { status: status ?? 'published', cohort };
}

/**
 * Tests of a model's rows for a status and a cohort. Components and types without draft-and-publish have none: `status`
 * and `publicationFilter` do not apply to them.
 */
export function variantTests(model: Model, table: string, variant: Variant): RowTest[] {
  if (model.modelType === 'component' || !model.draftAndPublish || variant.status === undefined) return [];
  return [{ kind: 'published', is: variant.status === 'published' }, ...cohortTests(model, table, variant)];
}

/** Tests of the requested locales; none on types that are not localized, which ignore `locale`. */
export function localeTests(type: ContentType, slots: readonly number[] | undefined): RowTest[] {
  return type.localized && slots !== undefined ? [{ kind: 'locale', slots }] : [];
}

/**
 * Splits a filter: conditions on the locale alone become tests like those of the parameter `locale`, so that the same
 * indexes and stored totals serve them; the other conditions remain.
 */
export function withoutLocales(
  type: ContentType,
  filter: PlanCondition,
): { readonly tests: readonly RowTest[]; readonly rest: readonly PlanCondition[] } {
  const [tests, rest]: [RowTest[], PlanCondition[]] = [[], []];
  for (const condition of type.localized ? conjuncts(filter) : []) {
    if (isOfLocales(condition)) tests.push({ kind: 'locale', slots: condition.slots });
    else rest.push(condition);
  }
  return tests.length > 0 ? { tests, rest } : { tests, rest: [filter] };
}

function isOfLocales(condition: PlanCondition): condition is Extract<PlanCondition, { kind: 'test' }> {
  if (condition.kind !== 'test' || condition.column !== 'locale' || condition.outcome !== 'true') return false;
  const { operator, slots, accounts } = condition;
  return (operator === '$eq' || operator === '$in') && slots.length > 0 && !accounts;
}

/** The table of cohorts is in docs/reference/query-parameters.md, "Status and publication". */
function cohortTests(type: ContentType, table: string, { status, cohort }: Variant): RowTest[] {
  const published = status === 'published';
  const pair = { kind: 'sibling', sameLocale: type.localized, table, modified: undefined } as const;
  const document = { ...pair, sameLocale: false } as const;
  const nothing: RowTest = { kind: 'published', is: !published };
  /** The sibling of a draft is the published row, and vice versa. */
  const other = !published;
  switch (cohort) {
    case undefined:
      return [];
    case 'never-published':
      return published ? [nothing] : [{ ...pair, exists: false, published: true }];
    // always true of a published row, whether or not its draft still exists (docs/reference/query-parameters.md,
    // "Status and publication")
    case 'has-published-version':
      return published ? [] : [{ ...pair, exists: true, published: true }];
    case 'modified':
      return [{ ...pair, exists: true, published: other, modified: true }];
    case 'unmodified':
      return [{ ...pair, exists: true, published: other, modified: false }];
    case 'never-published-document':
      return published ? [nothing] : [{ ...document, exists: false, published: true }];
    case 'has-published-version-document':
      return published ? [] : [{ ...document, exists: true, published: true }];
    case 'published-without-draft':
      return published ? [{ ...pair, exists: false, published: false }] : [nothing];
    case 'published-with-draft':
      return published ? [{ ...pair, exists: true, published: false }] : [nothing];
  }
}
