/** The labels of fields by their dotted names, as forms show them. */
import { useQuery } from '@tanstack/react-query';
import type { Attribute, Schema } from '../../contract/schema.ts';
import { schemaQuery } from '../data/schema.ts';
import { componentOf } from './values/model.ts';

/** The labels of the parts of a name: `seo.metaTitle` has `SEO` and `Meta title`. */
export type FieldLabels = (uid: string, name: string) => readonly string[];

/** Returns the function that names fields. Names that the administrator may not see stay as they are. */
export function useFieldLabels(): FieldLabels {
  const { data: schema } = useQuery(schemaQuery);
  return (uid, name) => (schema ? labelsOf(schema, uid, name) : name.split('.'));
}

function labelsOf(schema: Schema, uid: string, name: string): readonly string[] {
  let model: { readonly attributes: readonly Attribute[] } | undefined = schema.contentTypes.find(
    (type) => type.uid === uid,
  );
  return name.split('.').map((step) => {
    const attribute: Attribute | undefined = model?.attributes.find((one) => one.name === step);
    model = attribute?.type === 'component' ? componentOf(schema, attribute) : undefined;
    return attribute?.label ?? step;
  });
}
