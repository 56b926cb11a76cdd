/**
 * Schemas as the reference's content-type builder tells them over its API, to tools that make types or queries of them.
 */
import { child, scalarTypeOf } from './build.ts';
import { ADMIN_USER_UID, type Component, type ContentType, FILE_UID, type Model, USER_UID } from './catalog.ts';

type Told = Readonly<Record<string, unknown>>;

/** A content type: `{uid, plugin, apiID, schema}`. Keys whose value is undefined are left out of the JSON. */
export function toldContentType(type: ContentType): Told {
  const { declared, uid } = type;
  const visible = isVisible(type);
  return {
    uid,
    plugin: ownerOf(uid),
    apiID: type.singularName,
    schema: {
      draftAndPublish: false,
      ...child(declared, 'options'),
      displayName: type.displayName,
      singularName: type.singularName,
      pluralName: type.pluralName,
      description: child(declared, 'info')['description'] ?? '',
      pluginOptions: pluginOptionsOf(type),
      kind: type.kind,
      collectionName: type.collectionName,
      attributes: toldAttributes(type),
      visible,
      restrictRelationsTo: relationsTo(uid, visible),
    },
  };
}

/** A component: `{uid, category, apiId, schema}`. */
export function toldComponent(component: Component): Told {
  const { uid, category, declared } = component;
  return {
    uid,
    category,
    apiId: component.singularName,
    schema: {
      displayName: component.displayName,
      description: child(declared, 'info')['description'] ?? '',
      icon: component.icon,
      connection: declared['connection'],
      collectionName: component.collectionName,
      pluginOptions: declared['pluginOptions'],
      attributes: toldAttributes(component),
    },
  };
}

/** Of built-in types that nobody edits. */
const HIDDEN = { 'content-manager': { visible: false }, 'content-type-builder': { visible: false } };

const pluginOptionsOf = ({ declared, builtIn, uid }: ContentType): unknown =>
  declared['pluginOptions'] ?? (!builtIn || uid === USER_UID ? undefined : HIDDEN);

/** Whether people see a content type where types are made. */
export function isVisible(type: ContentType): boolean {
  const options = child({ options: pluginOptionsOf(type) }, 'options');
  return (child(options, 'content-type-builder')['visible'] ?? true) === true;
}

/** The content types in the reference's order: of plugins, of the project, of the administration. */
export function inOrder(types: Iterable<ContentType>): ContentType[] {
  const rank = ({ uid }: ContentType) => ['plugin', 'api', 'admin'].indexOf(uid.split('::')[0]!);
  return [...types].sort((one, other) => rank(one) - rank(other));
}

/** The plugin that a type is of; undefined for one of the project. */
function ownerOf(uid: string): string | undefined {
  const [kind, rest = ''] = uid.split('::');
  if (kind === 'plugin') return rest.split('.')[0];
  return kind === 'admin' ? 'admin' : undefined;
}

/** The kinds of relations that may lead to a type; null: all. */
function relationsTo(uid: string, visible: boolean): readonly string[] | null {
  if (uid === ADMIN_USER_UID) return ['oneWay', 'manyWay'];
  return uid === FILE_UID || !visible ? [] : null;
}

/** Attributes as the file has them, without those that it hides, and with what the reference adds to some. */
function toldAttributes({ attributes, declared }: Model): Told {
  const told: Record<string, unknown> = {};
  const raw = child(declared, 'attributes');
  for (const name of attributes.keys()) {
    const attribute = child(raw, name);
    if (attribute['visible'] !== false) told[name] = toldAttribute(attribute);
  }
  return told;
}

function toldAttribute(attribute: Told): Told {
  const { type, pluginOptions } = attribute;
  const common = {
    configurable: attribute['configurable'] === false ? false : undefined,
    required: Boolean(attribute['required']),
    private: Boolean(attribute['private']),
    pluginOptions,
  };
  if (type === 'media') {
    const { allowedTypes } = attribute;
    return { type, multiple: Boolean(attribute['multiple']), ...common, allowedTypes };
  }
  if (type === 'relation') {
    return { ...attribute, targetAttribute: attribute['inversedBy'] || attribute['mappedBy'] || null, ...common };
  }
  return type === 'customField' ? { ...attribute, type: scalarTypeOf(attribute) } : attribute;
}
