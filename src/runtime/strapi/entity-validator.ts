/** `strapi.entityValidator`: holds data against a type's schema, as a write of it would be, and writes nothing. */
import { permitBody } from '../../access/permit-body.ts';
import { columnsOf, shownColumns } from '../../content/documents/row-content.ts';
import type { WriteRequest } from '../../content/documents/write-request.ts';
import { readWhole } from '../../content/publication/whole-row.ts';
import { reportDisallowed, requireLocales, Targets } from '../../content/relations/targets.ts';
import type { Scope } from '../../content/rows/write-context.ts';
import { PatternTime } from '../../content/validation/pattern-time.ts';
import { takenValues } from '../../content/validation/unique.ts';
import { validateRow } from '../../content/validation/validate.ts';
import { validation } from '../../errors.ts';
import { Failures } from '../../failures.ts';
import { plainData } from '../../query/plain.ts';
import type { ContentType } from '../../schema/catalog.ts';
import { knownData } from '../documents/known-data.ts';
import type { Params } from '../documents/lifecycles.ts';
import { isPlain } from '../documents/plain-params.ts';
import type { RuntimeContext } from '../runtime-context.ts';

/** A row that is there, as code knows it. */
type Entity = Readonly<Record<string, unknown>> | null | undefined;

export function entityValidator(runtime: RuntimeContext) {
  const typeOf = (model: unknown): ContentType => {
    const type = isPlain(model) ? runtime.catalog.contentTypes.get(String(model['uid'])) : undefined;
    if (!type) throw new Error('strapi.entityValidator expects the schema of a content type');
    return type;
  };
  return {
    /** Returns the data with defaults. @throws ContentError 400 for invalid data. */
    async validateEntityCreation(model: unknown, data: unknown, options?: Params): Promise<Params> {
      const type = typeOf(model);
      const values = requireData(type, data, 'creation');
      await check(runtime, type, values, options ?? {}, undefined);
      const defaults = [...type.attributes.values()].flatMap((attribute): [string, unknown][] =>
        'default' in attribute && attribute.default !== undefined ? [[attribute.name, attribute.default]] : [],
      );
      return { publishedAt: new Date(), ...Object.fromEntries(defaults), ...values };
    },
    /** @param entity the row to update. @throws ContentError 400 for invalid data. */
    async validateEntityUpdate(model: unknown, data: unknown, options?: Params, entity?: Entity): Promise<Params> {
      const type = typeOf(model);
      const values = requireData(type, data, 'update');
      await check(runtime, type, values, options ?? {}, entity ?? {});
      return { ...values };
    },
  };
}

function requireData(type: ContentType, data: unknown, operation: string): Params {
  if (isPlain(data)) return data;
  const expected = `Invalid payload submitted for the ${operation} of an entity of type ${type.displayName}`;
  throw validation(`${expected}. Expected an object, but got ${JSON.stringify(data)}`);
}

async function check(
  { catalog, database, reader, writer, views, locales }: RuntimeContext,
  type: ContentType,
  data: Params,
  { isDraft = false, locale }: Params,
  entity: Entity,
): Promise<void> {
  const known = plainData(knownData(catalog, type, data)) as WriteRequest['data'];
  const { row } = permitBody(views.code.view, type, known);
  await requireLocales(row, locales);
  const defaultLocale = await locales.default();
  const state = type.draftAndPublish ? (isDraft ? 'draft' : 'published') : 'both';
  const language = type.localized ? String(locale ?? entity?.['locale'] ?? defaultLocale) : null;
  const scope: Scope = { state, locale: language, defaultLocale };
  await database.transaction(async (tx) => {
    const context = writer.context(tx);
    const targets = await Targets.of(context, row, scope, reader.shown(tx, views.code));
    const failures = new Failures();
    targets.reportMissing(row, failures);
    reportDisallowed(row, targets, failures);
    const patterns = new PatternTime();
    const id = Number(entity?.['id']);
    const isRead = context.plans.index.hasConditions(type.uid) && Number.isSafeInteger(id);
    const before = isRead ? await readWhole(context, type, id) : undefined;
    const rules = { strict: !isDraft, creating: entity === undefined, patterns };
    const valid = validateRow(row, rules, failures, undefined, before);
    if (!isDraft) {
      const scalars = new Map([...valid.scalars].filter(([attribute]) => attribute.type !== 'password'));
      const columns = new Map<string, unknown>([
        ...columnsOf(context, { ...valid, scalars }, new Map()),
        ...shownColumns(context, valid),
      ]);
      await takenValues(context, type, String(entity?.['documentId'] ?? ''), language, columns, failures, valid.hidden);
    }
    failures.throwAny();
  });
}
