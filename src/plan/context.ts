/** The context that planning shares: catalog, layout, the request's variant, and the kinds of its slots. */
import type { Selection } from '../access/permitted.ts';
import type { Status } from '../query/content-query.ts';
import { attributeOf, type Catalog, FILE_UID, type Model, modelOf, type RelationAttribute } from '../schema/catalog.ts';
import { FILES_RELATED_TABLE, type Layout, layoutOf, type RelationLayout } from '../schema/layout/layout.ts';
import type { FileMarks, Member, PlanCondition, RowTest, SlotKind, Step, Target } from './read-plan.ts';
import { type Variant, variantTests } from './variant.ts';

export interface PlanContext {
  readonly catalog: Catalog;
  readonly layout: Layout;
  readonly variant: Variant;
  /** How addresses of files are marked; undefined if no store is private. */
  readonly marks?: FileMarks | undefined;
  /**
   * A condition that restricts rows of a model to those that the caller may see, in a status; undefined: all
   * (`rows.ts`).
   */
  readonly rowsOf: (model: Model, status: Status | undefined) => PlanCondition | undefined;
  /** The most rows of each list of relations that are read; undefined: all. */
  readonly linked?: number | undefined;
  /** Filled while planning: the kind of each slot of the plan. */
  readonly kinds: Map<number, SlotKind>;
  /** Filled while planning: the members of each selection. */
  readonly planned: Map<Selection, readonly Member[]>;
}

/** The column of a scalar or system field. */
export function columnOf(context: PlanContext, uid: string, field: string): string {
  const column = layoutOf(context.layout, uid).columns.get(field);
  if (column === undefined) throw new Error(`${uid} has no column for ${field}`);
  return column;
}

/**
 * The step of a filter or a sort key. It follows all links, whatever the requested cohort, and all locale versions of a
 * document, the row itself included (docs/differences.md, "Filters and search").
 */
export function linkedTarget(context: PlanContext, model: Model, name: string): Target & { model: Model } {
  const variant = { ...context.variant, cohort: undefined };
  const target = targetOf({ ...context, variant }, model, name);
  return target.step.kind === 'localizations' ? { ...target, step: { kind: 'versions' } } : target;
}

/** The step from a model through an attribute to the rows it populates, with the tests on those rows. */
export function targetOf(context: PlanContext, model: Model, name: string): Target & { model: Model } {
  const attribute = attributeOf(model, name);
  if (!attribute && name === 'localizations') {
    const { table } = layoutOf(context.layout, model.uid);
    return { step: { kind: 'localizations' }, ...visibleRows(context, model, table), model };
  }
  switch (attribute?.type) {
    case 'media':
      return to(context, FILE_UID, { kind: 'media', table: FILES_RELATED_TABLE, uid: model.uid, field: name });
    case 'component': {
      const table = layoutOf(context.layout, model.uid).componentsTable!;
      return to(context, attribute.component, { kind: 'component', table, field: name, uid: attribute.component });
    }
    case 'relation':
      return to(context, attribute.target!, relationStep(context, model, attribute));
    default:
      throw new Error(`${model.uid} has no relation ${name}`);
  }
}

/** The rows of a model in the request's variant that the caller may see. */
export function visibleRows(context: PlanContext, model: Model, table: string): Omit<Target, 'step'> {
  const { variant, rowsOf } = context;
  return { table, tests: shownTests(context, model, table), rows: rowsOf(model, variant.status) };
}

/** Tests of the request's variant. Another version of the document that the caller may not see does not exist. */
function shownTests({ variant, rowsOf }: PlanContext, model: Model, table: string): RowTest[] {
  return variantTests(model, table, variant).map((test) =>
    test.kind === 'sibling' ? { ...test, rows: rowsOf(model, test.published ? 'published' : 'draft') } : test,
  );
}

function to(context: PlanContext, uid: string, step: Step): Target & { model: Model } {
  const model = modelOf(context.catalog, uid);
  const { table } = layoutOf(context.layout, uid);
  return { step, ...visibleRows(context, model, table), model };
}

function relationStep(context: PlanContext, model: Model, attribute: RelationAttribute): Step {
  const relation = relationLayout(context, model, attribute.name);
  switch (relation.kind) {
    case 'link':
      return {
        kind: 'link',
        table: relation.table,
        source: relation.source,
        target: relation.target,
        order: relation.order,
      };
    case 'column':
      return { kind: 'ownColumn', column: relation.column };
    case 'inverseColumn':
      return { kind: 'theirColumn', column: relation.column };
    case 'morphInverse':
      return relation.via.kind === 'morphTable'
        ? { ...relation.via, uid: model.uid, name: attribute.name }
        : { ...relation.via, uid: model.uid };
    default:
      throw new Error(`${attribute.name} leads to more than one type`);
  }
}

export function relationLayout(context: PlanContext, model: Model, name: string): RelationLayout {
  const relation = layoutOf(context.layout, model.uid).relations.get(name);
  if (!relation) throw new Error(`the layout has no relation ${model.uid}.${name}`);
  return relation;
}
