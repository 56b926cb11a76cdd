/** Schemas in the form of the reference's content-type builder API, which tools read to generate types or queries. */
import { child, scalarTypeOf } from './build.ts';
import { ADMIN_USER_UID, type Component, type ContentType, FILE_UID, type Model, USER_UID } from './catalog.ts';

type PublicSchema = Readonly<Record<string, unknown>>;

/** A content type: `{uid, plugin, apiID, schema}`. Keys with undefined values are missing in the JSON. */
export function publicContentType(type: ContentType): PublicSchema {
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
      attributes: publicAttributes(type),
      visible,
      restrictRelationsTo: relationsTo(uid, visible),
    },
  };
}

/** A component: `{uid, category, apiId, schema}`. */
export function publicComponent(component: Component): PublicSchema {
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
      attributes: publicAttributes(component),
    },
  };
}

/** Options of built-in types that are not edited. */
const HIDDEN = { 'content-manager': { visible: false }, 'content-type-builder': { visible: false } };

const pluginOptionsOf = ({ declared, builtIn, uid }: ContentType): unknown =>
  declared['pluginOptions'] ?? (!builtIn || uid === USER_UID ? undefined : HIDDEN);

/** Whether the content-type builder shows a content type. */
export function isVisible(type: ContentType): boolean {
  const options = child({ options: pluginOptionsOf(type) }, 'options');
  return (child(options, 'content-type-builder')['visible'] ?? true) === true;
}

/** The content types in the reference's order: of plugins, of the project, of the administration. */
export function inOrder(types: Iterable<ContentType>): ContentType[] {
  const rank = ({ uid }: ContentType) => ['plugin', 'api', 'admin'].indexOf(uid.split('::')[0]!);
  return [...types].sort((one, other) => rank(one) - rank(other));
}

/** The plugin of a type; undefined for a type of the project. */
function ownerOf(uid: string): string | undefined {
  const [kind, rest = ''] = uid.split('::');
  if (kind === 'plugin') return rest.split('.')[0];
  return kind === 'admin' ? 'admin' : undefined;
}

/** The kinds of relations that may have a type as target; null for all. */
function relationsTo(uid: string, visible: boolean): readonly string[] | null {
  if (uid === ADMIN_USER_UID) return ['oneWay', 'manyWay'];
  return uid === FILE_UID || !visible ? [] : null;
}

/** Attributes as in the file, without hidden ones and with the reference's additions. */
function publicAttributes({ attributes, declared }: Model): PublicSchema {
  const described: Record<string, unknown> = {};
  const raw = child(declared, 'attributes');
  for (const name of attributes.keys()) {
    const attribute = child(raw, name);
    if (attribute['visible'] !== false) described[name] = toldAttribute(attribute);
  }
  return described;
}

function toldAttribute(attribute: PublicSchema): PublicSchema {
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
