/** Shared attributes that are not equal in all locales of a document (docs/differences.md, "Locales"). */
import { isScalar } from '../../access/fields.ts';
import { type ContentType, modelOf } from '../../schema/catalog.ts';
import { layoutOf, type ModelLayout } from '../../schema/layout/layout.ts';
import { SchemaIndex } from '../../schema/schema-index.ts';
import type { Dialect } from '../../sql/dialect.ts';
import {
  type ComparedComponent,
  compileColumnDiffers,
  compileDifferingLocales,
  compileEntriesDiffer,
  compileFilesDiffer,
  compilePasswordDiffers,
} from '../../sql/doctor/shared.ts';
import type { Sql } from '../../sql/fragment.ts';
import type { Check } from './check.ts';
import type { Subject } from './orphans.ts';

const ADVICE = 'publish the locale that is correct: its values are then copied to the others';

/** Checks of every localized type. Which of two values is right, only a person can tell. */
export function sharedChecks(subject: Subject, dialect: Dialect): Check[] {
  const index = new SchemaIndex(subject.catalog);
  return [...subject.catalog.contentTypes.values()].flatMap((type) => {
    const layout = layoutOf(subject.layout, type.uid);
    return [...index.sharedAttributes(type.uid)].map((name): Check => {
      const differ = difference(subject, dialect, type, layout, name);
      return {
        problem: `${name} differs between locales`,
        table: layout.table,
        columns: ['document_id', 'locale', 'other'],
        find: compileDifferingLocales(type, layout.table, differ),
        advice: ADVICE,
      };
    });
  });
}

/** Whether an attribute of the rows `a` and `b` differs. */
function difference(subject: Subject, dialect: Dialect, type: ContentType, layout: ModelLayout, name: string): Sql {
  const attribute = type.attributes.get(name)!;
  if (isScalar(attribute)) {
    const column = layout.columns.get(name)!;
    return attribute.type === 'password' ? compilePasswordDiffers(column) : compileColumnDiffers(dialect, column);
  }
  if (attribute.type === 'media') return compileFilesDiffer(type.uid, name);
  const uids = attribute.type === 'component' ? [attribute.component] : [];
  if (attribute.type === 'dynamiczone') uids.push(...attribute.components);
  const components = uids.map((uid): ComparedComponent => {
    const { table, columns } = layoutOf(subject.layout, uid);
    const scalars = [...modelOf(subject.catalog, uid).attributes.values()].filter(isScalar);
    return { uid, table, columns: scalars.map((scalar) => columns.get(scalar.name)!) };
  });
  return compileEntriesDiffer(dialect, layout.componentsTable!, name, components);
}
