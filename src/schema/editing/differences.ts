/** What a change of the schemas does to content, without numbers: these need the database. */
import type { Attribute, ContentType, Model, RelationAttribute, ScalarAttribute } from '../catalog.ts';
import { isScalar, isToMany } from '../catalog.ts';
import { layoutOf } from '../layout/layout.ts';
import type { Keeping } from './editing.ts';
import {
  type AttributePair,
  componentsOf,
  type FormerNames,
  formerName,
  formerUid,
  isCarried,
  keptAttributes,
  modelIn,
  type Place,
  placeOf,
  type SchemaVersion,
} from './places.ts';
import { isSameSchema } from './schema-text.ts';

/** Documents to be counted, in tables as they are before the change. */
export type Counted = {
  readonly uid: string;
} /** `unpublished`: with a draft that was never published, or changed since. */ & (
  | { readonly what: 'documents' | 'locales' | 'unpublished' }
  /** With a value of an attribute, without one, or with several. */
  | { readonly what: 'with' | 'without' | 'several'; readonly place: Place }
  /** With some values of an enumeration. */
  | { readonly what: 'values'; readonly place: Place; readonly values: readonly string[] }
  /** With a value that another document has too. */
  | { readonly what: 'duplicates'; readonly place: Place }
  /** With entries of some components. */
  | { readonly what: 'entries'; readonly place: Place; readonly components: readonly string[] }
);

export interface Difference {
  /** `loss`: content is out of reach afterwards, if there is any. */
  readonly severity: 'info' | 'work' | 'loss';
  readonly uid: string;
  readonly attribute: string | null;
  readonly kind: string;
  readonly from: string | null;
  readonly to: string | null;
  /** How content of a loss can be kept; null: the change is impossible as long as there is content. */
  readonly keep: Keeping | null;
  readonly counted: Counted | undefined;
}

type Rest = Partial<Pick<Difference, 'attribute' | 'from' | 'to' | 'keep' | 'counted'>>;

function difference(severity: Difference['severity'], uid: string, kind: string, rest: Rest = {}): Difference {
  return { severity, uid, kind, attribute: null, from: null, to: null, keep: null, counted: undefined, ...rest };
}

/** The differences of two versions of the schemas, removed types and attributes first. */
export function differencesOf(before: SchemaVersion, after: SchemaVersion, names: FormerNames): Difference[] {
  const models = ({ catalog }: SchemaVersion): Model[] => [
    ...catalog.contentTypes.values(),
    ...catalog.components.values(),
  ];
  const uids = new Set(models(after).map(({ uid }) => formerUid(names, uid)));
  const removed = models(before)
    .filter(({ uid }) => !uids.has(uid))
    .map(({ uid }) => difference('loss', uid, 'typeRemoved', { keep: 'archive', counted: { what: 'documents', uid } }));
  const changed = models(after).flatMap((model) => {
    const former = modelIn(before, formerUid(names, model.uid));
    if (!former) return [difference('info', model.uid, 'typeAdded')];
    return [...typeDifferences(model, former, before, after), ...attributeSets(model, former, before, after, names)];
  });
  const attributes = keptAttributes(before, after, names).flatMap((one) => attributeDifferences(one, names));
  return [...removed, ...changed, ...attributes];
}

function typeDifferences(model: Model, former: Model, before: SchemaVersion, after: SchemaVersion): Difference[] {
  const found: Difference[] = [];
  const { uid } = model;
  const counted = { what: 'documents', uid: former.uid } as const;
  if (uid !== former.uid) found.push(difference('work', uid, 'typeRenamed', { from: former.uid, to: uid, counted }));
  const [from, to] = [layoutOf(before.layout, former.uid).table, layoutOf(after.layout, uid).table];
  if (from !== to) found.push(difference('work', uid, 'tableRenamed', { from, to, counted }));
  if (model.modelType === 'contentType' && former.modelType === 'contentType') {
    found.push(...contentTypeDifferences(model, former));
  }
  const rest = ({ declared: { attributes: _, ...others } }: Model) => others;
  if (found.length === 0 && !isSameSchema(rest(model), rest(former)))
    found.push(difference('info', uid, 'optionsChanged'));
  return found;
}

function contentTypeDifferences(type: ContentType, former: ContentType): Difference[] {
  const { uid } = type;
  const found: Difference[] = [];
  const of = (what: 'documents' | 'locales' | 'unpublished') => ({ counted: { what, uid: former.uid } });
  if (type.kind !== former.kind) {
    const [from, to] = [former.kind, type.kind];
    // a single type has one document: others would be out of reach
    const severity = type.kind === 'singleType' ? 'loss' : 'info';
    found.push(difference(severity, uid, 'kindChanged', { from, to, ...of('documents') }));
  }
  if (type.draftAndPublish !== former.draftAndPublish) {
    if (type.draftAndPublish) found.push(difference('work', uid, 'draftsOn', of('documents')));
    else {
      found.push(difference('work', uid, 'draftsOff', of('documents')));
      found.push(difference('loss', uid, 'unpublishedLost', { keep: 'publish', ...of('unpublished') }));
    }
  }
  if (type.localized !== former.localized) {
    if (type.localized) found.push(difference('work', uid, 'localesOn', of('documents')));
    else found.push(difference('loss', uid, 'localesOff', of('locales')));
  }
  const [path, formerPath] = [type, former].map(({ kind, singularName, pluralName }) =>
    kind === 'singleType' ? singularName : pluralName,
  );
  if (path !== formerPath) found.push(difference('work', uid, 'pathChanged', { from: formerPath!, to: path! }));
  return found;
}

/** Whether an attribute of a type has its content in a place. */
function isUsed(place: Place, model: Model, version: SchemaVersion): boolean {
  return [...model.attributes.values()].some((attribute) => {
    const other = placeOf(version, model, attribute);
    if (!other || other.kind !== place.kind || other.table !== place.table) return false;
    if (other.kind === 'column' && place.kind === 'column') return other.column === place.column;
    if ('field' in other && 'field' in place) return other.field === place.field;
    if (other.kind === 'link column' && place.kind === 'link column') return other.columns[0] === place.columns[0];
    return true;
  });
}

/** Added, removed and renamed attributes, and their order. */
function attributeSets(
  model: Model,
  former: Model,
  before: SchemaVersion,
  after: SchemaVersion,
  names: FormerNames,
): Difference[] {
  const { uid } = model;
  const found: Difference[] = [];
  const used = new Map([...model.attributes.keys()].map((name) => [formerName(names, uid, name), name]));
  for (const attribute of former.attributes.values()) {
    if (used.has(attribute.name)) continue;
    const place = placeOf(before, former, attribute);
    const counted = place && ({ what: 'with', uid: former.uid, place } as const);
    const severity = place ? 'loss' : 'info';
    const keep = place ? 'archive' : null;
    found.push(difference(severity, uid, 'attributeRemoved', { attribute: attribute.name, keep, counted }));
  }
  for (const attribute of model.attributes.values()) {
    const { name } = attribute;
    const from = formerName(names, uid, name);
    if (!former.attributes.has(from)) {
      const place = placeOf(after, model, attribute);
      // the values of an attribute that was removed before may still be there
      const counted = place && ({ what: 'with', uid: former.uid, place } as const);
      found.push(difference('info', uid, 'attributeAdded', { attribute: name, counted }));
      if (attribute.required && isScalar(attribute) && attribute.default === undefined) {
        const all = { what: 'documents', uid: former.uid } as const;
        found.push(difference('work', uid, 'requiredAdded', { attribute: name, counted: all }));
      }
    } else if (from !== name) {
      const place = placeOf(before, former, former.attributes.get(from)!);
      const counted = place && ({ what: 'with', uid: former.uid, place } as const);
      found.push(difference('work', uid, 'attributeRenamed', { attribute: name, from, to: name, counted }));
      // the values of a removed attribute with the new name may still be there, and get out of the way
      const target = placeOf(after, model, attribute);
      if (target && !isUsed(target, former, before)) {
        const buried = { what: 'with', uid: former.uid, place: target } as const;
        found.push(difference('loss', uid, 'archiveReplaced', { attribute: name, keep: 'archive', counted: buried }));
      }
    }
  }
  const order = [...former.attributes.keys()].flatMap((name) => used.get(name) ?? []);
  const now = [...model.attributes.keys()].filter((name) => order.includes(name));
  if (now.some((name, i) => name !== order[i])) found.push(difference('info', uid, 'orderChanged'));
  return found;
}

function attributeDifferences(pair: AttributePair, names: FormerNames): Difference[] {
  const { model, former, attribute, formerAttribute, place, formerPlace } = pair;
  const found: Difference[] = [];
  const at = { attribute: attribute.name };
  const add = (severity: Difference['severity'], kind: string, rest: Rest = {}) =>
    found.push(difference(severity, model.uid, kind, { ...at, ...rest }));
  const { uid } = former;
  const withValue = formerPlace && ({ what: 'with', uid, place: formerPlace } as const);

  if (formerPlace && !(place && isCarried(formerPlace, place, names))) {
    const isLink = attribute.type === 'relation' && formerAttribute.type === 'relation';
    const [from, to] = isLink ? [kindOf(formerAttribute), kindOf(attribute)] : [formerAttribute.type, attribute.type];
    add('loss', isLink ? 'relationChanged' : 'typeChanged', { from, to, keep: 'archive', counted: withValue });
    return found;
  }
  if (attribute.type !== formerAttribute.type) {
    const isWork = attribute.type !== 'component' && attribute.type !== 'dynamiczone';
    add(isWork ? 'work' : 'info', 'typeChanged', {
      from: formerAttribute.type,
      to: attribute.type,
      counted: withValue,
    });
  }
  if (attribute.type === 'relation' && formerAttribute.type === 'relation') {
    const [from, to] = [kindOf(formerAttribute), kindOf(attribute)];
    if (from !== to) add('info', 'relationChanged', { from, to });
  }
  found.push(...componentDifferences(pair, names));
  if (formerPlace && isToMany(former, formerAttribute.name) && !isToMany(model, attribute.name)) {
    const counted = { what: 'several', uid, place: formerPlace } as const;
    add('loss', 'multipleOff', { counted });
  }
  if (attribute.required && !formerAttribute.required) {
    add('work', 'requiredAdded', { counted: formerPlace && { what: 'without', uid, place: formerPlace } });
  }
  if ('localized' in attribute && 'localized' in formerAttribute && model.modelType === 'contentType') {
    const isSwitched = attribute.localized !== formerAttribute.localized;
    const hasLocales = model.localized && former.modelType === 'contentType' && former.localized;
    if (isSwitched && hasLocales) {
      const counted = { what: 'locales', uid } as const;
      add('work', attribute.localized ? 'localizedOn' : 'localizedOff', { counted });
    }
  }
  if (isScalar(attribute) && isScalar(formerAttribute)) {
    found.push(...scalarDifferences(pair, attribute, formerAttribute));
  }
  if (found.length === 0 && !isSameSchema(declared(model, attribute), declared(former, formerAttribute))) {
    add('info', 'optionsChanged');
  }
  return found;
}

/** Components that an attribute may no longer contain. */
function componentDifferences(
  { model, former, attribute, formerAttribute, formerPlace }: AttributePair,
  names: FormerNames,
): Difference[] {
  const [now, before] = [componentsOf(attribute).map((uid) => formerUid(names, uid)), componentsOf(formerAttribute)];
  const removed = before.filter((uid) => !now.includes(uid));
  if (removed.length === 0 || now.length === 0 || !formerPlace) return [];
  const counted = { what: 'entries', uid: former.uid, place: formerPlace, components: removed } as const;
  const kind = attribute.type === 'component' ? 'componentChanged' : 'componentsRemoved';
  const rest = {
    attribute: attribute.name,
    from: removed.join(', '),
    to: now.join(', '),
    keep: 'archive',
    counted,
  } as const;
  return [difference('loss', model.uid, kind, rest)];
}

const RULES = ['min', 'max', 'minLength', 'maxLength', 'regex'] as const;

function scalarDifferences(
  { model, former, formerPlace }: AttributePair,
  attribute: ScalarAttribute,
  before: ScalarAttribute,
): Difference[] {
  const found: Difference[] = [];
  const at = { attribute: attribute.name };
  const { uid } = former;
  if (attribute.unique && !before.unique && formerPlace) {
    const counted = { what: 'duplicates', uid, place: formerPlace } as const;
    found.push(difference('work', model.uid, 'uniqueAdded', { ...at, counted }));
  }
  if (attribute.type === 'enumeration' && before.type === 'enumeration' && formerPlace) {
    const values = before.enum.filter((value) => !attribute.enum.includes(value));
    if (values.length > 0) {
      const counted = { what: 'values', uid, place: formerPlace, values } as const;
      found.push(difference('work', model.uid, 'valuesRemoved', { ...at, from: values.join(', '), counted }));
    }
  }
  const isTightened = RULES.some((rule) => attribute[rule] !== undefined && attribute[rule] !== before[rule]);
  if (isTightened) found.push(difference('work', model.uid, 'rulesTightened', at));
  return found;
}

const kindOf = (attribute: Attribute): string => (attribute as RelationAttribute).relation;

function declared({ declared }: Model, { name }: Attribute): unknown {
  return (declared['attributes'] as Readonly<Record<string, unknown>>)[name];
}
