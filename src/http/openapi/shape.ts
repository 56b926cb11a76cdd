/** Schemas as HTML: the shape of a value, with links to named schemas. */
import { isObject } from '../../plain-values.ts';
import type { Schema } from './schemas.ts';

/** A schema in a `pre`, as HTML. */
export function shapeOf(schema: unknown): string {
  return shape(schema as Schema, '');
}

/** @param indent the indentation of its first line. */
function shape(schema: Schema, indent: string): string {
  const { $ref, type, anyOf, properties, items } = schema;
  if (typeof $ref === 'string') return link($ref);
  const choices = Array.isArray(schema['enum']) ? schema['enum'] : 'const' in schema ? [schema['const']] : undefined;
  if (choices) return choices.map((one) => escaped(JSON.stringify(one))).join(' | ');
  if (Array.isArray(anyOf)) return anyOf.map((one: Schema) => shape(one, indent)).join(' | ');
  if (Array.isArray(type)) return type.map((one: unknown) => shape({ ...schema, type: one }, indent)).join(' | ');
  if (type === 'array') return listed((items ?? {}) as Schema, indent);
  if (isObject(properties) && Object.keys(properties).length > 0) return members(schema, properties, indent);
  if (typeof type !== 'string') return 'anything';
  return `${escaped(type)}${remarks(type, schema)}`;
}

function members({ required }: Schema, properties: object, indent: string): string {
  const within = `${indent}  `;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const lines = Object.entries(properties as Readonly<Record<string, Schema>>).map(
    ([name, one]) => `${within}${escaped(name)}${needed.includes(name) ? '' : '?'}: ${shape(one, within)}\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}

function listed(items: Schema, indent: string): string {
  const choices = [items['anyOf'], items['enum'], items['type']].find((one) => Array.isArray(one)) as
    | unknown[]
    | undefined;
  const item = shape(items, indent);
  return choices && choices.length > 1 ? `(${item})[]` : `${item}[]`;
}

/** The type of a value with its format: `string (date-time)`. */
function remarks(type: string, schema: Schema): string {
  if (type === 'null') return '';
  const { format, minLength, maxLength, minimum, maximum } = schema;
  const range = (from: unknown, to: unknown, unit: string): string[] => {
    if (from === undefined && to === undefined) return [];
    if (from === undefined) return [`at most ${to}${unit}`];
    return [to === undefined ? `at least ${from}${unit}` : `${from} to ${to}${unit}`];
  };
  const notes = [
    ...(format === undefined ? [] : [String(format)]),
    ...range(minLength, maxLength, ' characters'),
    ...range(minimum, maximum, ''),
  ];
  return notes.length === 0 ? '' : escaped(` (${notes.join(', ')})`);
}

function link(reference: string): string {
  const name = escaped(reference.split('/').at(-1)!);
  return `<a href="#${name}">${name}</a>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign]!);
