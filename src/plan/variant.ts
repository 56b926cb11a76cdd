/**
 * The only home of the rules that choose among a document's rows: draft or published, locale, cohort
 * (docs/reference/query-parameters.md, "Locale", "Status and publication").
 */
import type { Cohort, Status } from '../query/content-query.ts';
import { type ContentType, FILE_UID, type Model } from '../schema/catalog.ts';
import { conjuncts, type PlanCondition, type RowTest } from './read-plan.ts';

/** What a request says of rows, wherever in the answer they stand. */
export interface Variant {
  /** Undefined: rows of either. */
  readonly status: Status | undefined;
  readonly cohort: Cohort | undefined;
}

/**
 * What a request on a type says of rows. The default is `published`. Of files it says nothing: they are related to
 * every row that uses them (docs/reference/files.md).
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
 * Tests of a model's rows for a status and a cohort. Types without draft-and-publish, and components, have none:
 * `status` and `publicationFilter` do not concern them.
 */
export function variantTests(model: Model, table: string, variant: Variant): RowTest[] {
  if (model.modelType === 'component' || !model.draftAndPublish || variant.status === undefined) return [];
  return [{ kind: 'published', is: variant.status === 'published' }, ...cohortTests(model, table, variant)];
}

/** Tests of the locales asked for; none on types that are not localized, which ignore `locale`. */
export function localeTests(type: ContentType, slots: readonly number[] | undefined): RowTest[] {
  return type.localized && slots !== undefined ? [{ kind: 'locale', slots }] : [];
}

/**
 * A filter in two: what it asks of the locale alone, as tests of the kind that `locale` asks for, so that the same indexes and
 * kept totals serve it; and the conditions that are left.
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

/** The table of cohorts in docs/reference/query-parameters.md, "Status and publication". */
function cohortTests(type: ContentType, table: string, { status, cohort }: Variant): RowTest[] {
  const published = status === 'published';
  const pair = { kind: 'sibling', sameLocale: type.localized, table, modified: undefined } as const;
  const document = { ...pair, sameLocale: false } as const;
  const nothing: RowTest = { kind: 'published', is: !published };
  /** Seen from a draft the sibling is the published row, and the other way round. */
  const other = !published;
  switch (cohort) {
    case undefined:
      return [];
    case 'never-published':
      return published ? [nothing] : [{ ...pair, exists: false, published: true }];
    // of a published row it is true by itself, whether or not its draft is still there
    // (docs/reference/query-parameters.md, "Status and publication")
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
