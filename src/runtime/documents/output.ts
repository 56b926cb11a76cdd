/** Reduces documents that code has read to the fields that a caller may see: `sanitizeOutput`. */
import type { View } from '../../access/view.ts';
import { type Catalog, FILE_UID, type Model, modelOf, type RelationAttribute } from '../../schema/catalog.ts';
import { isPlain } from './plain-params.ts';

/**
 * A document, or a list of them, without private attributes and without relations to types that a caller may not find.
 * Keys that the schema does not know are the code's own and stay.
 */
export function shownTo(view: View, model: Model, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => shownTo(view, model, one));
  if (!isPlain(value)) return value;
  const shown: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const member = memberShown(view, model, name, inner);
    if (member !== HIDDEN) shown[name] = member;
  }
  return shown;
}

const HIDDEN = Symbol('hidden');

function memberShown(view: View, model: Model, name: string, value: unknown): unknown {
  const named = view.of(model).named(name);
  switch (named.kind) {
    case 'hidden':
      return HIDDEN;
    case 'localizations':
      return view.of(model).isSeen ? shownTo(view, model, value) : HIDDEN;
    case 'attribute':
      break;
    default:
      return value;
  }
  const { attribute } = named;
  const { catalog } = view;
  if (attribute.type === 'component') return shownTo(view, view.into(model, attribute), value);
  if (attribute.type === 'dynamiczone') {
    return Array.isArray(value) ? value.map((part) => partShown(view, catalog, part)) : value;
  }
  if (attribute.type === 'media') {
    const file = modelOf(catalog, FILE_UID);
    return view.of(file).isSealed ? HIDDEN : shownTo(view, file, value);
  }
  if (attribute.target === undefined) return anyShown(view, model, attribute, value);
  const target = view.into(model, attribute);
  return view.of(target).isSeen ? shownTo(view, target, value) : HIDDEN;
}

function partShown(view: View, catalog: Catalog, part: unknown): unknown {
  const uid = isPlain(part) ? part['__component'] : undefined;
  const component = typeof uid === 'string' ? catalog.components.get(uid) : undefined;
  return component ? shownTo(view, component, part) : part;
}

/** The documents of a relation to any type: each names its type, but not the attribute that links to it. */
function anyShown(view: View, model: Model, attribute: RelationAttribute, value: unknown): unknown {
  if (Array.isArray(value))
    return value.map((one) => anyShown(view, model, attribute, one)).filter((one) => one !== HIDDEN);
  const uid = isPlain(value) ? value['__type'] : undefined;
  const type = typeof uid === 'string' ? view.catalog.contentTypes.get(uid) : undefined;
  if (!type) return value === null ? null : HIDDEN;
  const isShown = view.of(type).isSeen && view.linkedBy(model, attribute, type.uid) === undefined;
  return isShown ? shownTo(view, type, value) : HIDDEN;
}
