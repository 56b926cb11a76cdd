/** The answers of the server and the expectations of the model, in one form. */
import type { Model, Schema } from './schema.ts';
import { type Part, refOf, type World } from './world.ts';

/** Everything that is read of a model and of the components inside it, as a query string. */
export function populateOf(schema: Schema, uid: string, at = 'populate'): string {
  const parts: string[] = [];
  for (const attribute of schema.get(uid)!.attributes.values()) {
    const here = `${at}[${attribute.name}]`;
    if (attribute.kind === 'scalar') continue;
    if (attribute.kind === 'relation') {
      parts.push(attribute.target === undefined ? `${here}=true` : `${here}[fields][0]=documentId`);
      const target = attribute.target === undefined ? undefined : schema.get(attribute.target);
      if (target?.localized) parts.push(`${here}[fields][1]=locale`);
    } else if (attribute.zone) {
      for (const component of attribute.components) {
        parts.push(
          populateOf(schema, component, `${here}[on][${component}][populate]`) || `${here}[on][${component}]=true`,
        );
      }
    } else parts.push(populateOf(schema, attribute.components[0]!, `${here}[populate]`) || `${here}=true`);
  }
  return parts.join('&');
}

export type View = Record<string, unknown>;

/** What the model expects of a type in a status: a view by `<document>@<locale>`. */
export function expectedViews(world: World, model: Model, status: 'draft' | 'published'): Record<string, View> {
  const views: Record<string, View> = {};
  for (const row of world.rows.values()) {
    if (row.uid !== model.uid || (row.state !== 'only' && row.state !== status)) continue;
    views[`${row.doc}@${row.locale}`] = expectedView(world, row, status);
  }
  return views;
}

function expectedView(world: World, holder: Part, status: 'draft' | 'published'): View {
  const view: View = {};
  for (const attribute of world.attributesOf(holder.uid)) {
    const { name } = attribute;
    if (attribute.kind === 'scalar') view[name] = holder.scalars.get(name) ?? null;
    else if (attribute.kind === 'parts') {
      const parts = (holder.parts.get(name) ?? []).map((part) => ({
        ...(attribute.zone ? { __component: part.uid } : {}),
        ...expectedView(world, part, status),
      }));
      view[name] = attribute.many ? parts : (parts[0] ?? null);
    } else {
      const seen = world.list(holder.key, name).filter((key) => {
        const { state } = refOf(key);
        return world.rows.has(key) && (state === 'only' || state === status);
      });
      const names = seen.map((key) => {
        const { doc, locale } = refOf(key);
        return `${doc}@${locale}`;
      });
      if (!attribute.many && names.length > 1) throw new Error(`the model links ${name} of ${holder.key} to ${names}`);
      // the other side of a column keeps no order
      const ordered = attribute.column && attribute.many ? names.sort() : names;
      view[name] = attribute.many ? ordered : (names[0] ?? null);
    }
  }
  return view;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are of any form
type Answer = any;

/** A document of an answer in the same form. `docs` gives the model's names. */
export function answeredView(
  schema: Schema,
  uid: string,
  answer: Answer,
  docs: ReadonlyMap<string, string>,
  zone = false,
): View {
  const view: View = zone ? { __component: answer.__component } : {};
  const named = (one: Answer) => `${docs.get(one.documentId) ?? one.documentId}@${one.locale ?? ''}`;
  for (const attribute of schema.get(uid)!.attributes.values()) {
    const { name } = attribute;
    const value = answer[name];
    if (attribute.kind === 'scalar') view[name] = value;
    else if (attribute.kind === 'relation') {
      const names = Array.isArray(value) ? value.map(named) : value && named(value);
      view[name] = attribute.column && attribute.many ? names.sort() : names;
    } else {
      const part = (one: Answer) =>
        one && answeredView(schema, one.__component ?? attribute.components[0], one, docs, attribute.zone);
      view[name] = attribute.many ? value.map(part) : part(value);
    }
  }
  return view;
}

/** Remembers the row ids of a row's components, so that later writes can name them. */
export function learnIds(world: World, holder: Part, answer: Answer): void {
  holder.id = answer.id;
  for (const [name, parts] of holder.parts) {
    const values: Answer[] = Array.isArray(answer[name]) ? answer[name] : [answer[name]];
    for (const [index, part] of parts.entries()) if (values[index]) learnIds(world, part, values[index]);
  }
}
