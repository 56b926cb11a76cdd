/** The names of `contentTypes` of `@strapi/utils` that attributes and types may not have in the reference. */
import { snake } from '../../../schema/layout/naming.ts';

const OF_STRAPI = ['strapi*', '_strapi*', '__strapi*'];

const RESERVED_ATTRIBUTE_NAMES = [
  ...['id', 'document_id', 'created_at', 'updated_at', 'published_at', 'created_by_id', 'updated_by_id'],
  ...['created_by', 'updated_by', 'entry_id', 'localizations', 'meta', 'locale', '__component', '__contentType'],
  ...OF_STRAPI,
];
const RESERVED_ATTRIBUTE_NAMES_DRAFT_PUBLISH = ['status'];
const RESERVED_MODEL_NAMES = [...['boolean', 'date', 'date_time', 'time', 'upload', 'document', 'then'], ...OF_STRAPI];

/** Names are compared as columns have them. */
function isAmong(name: string, reserved: readonly string[]): boolean {
  const column = snake(name);
  return reserved.some((one) => (one.endsWith('*') ? column.startsWith(one.slice(0, -1)) : column === one));
}

interface OfType {
  readonly draftAndPublish?: boolean;
}
const attributeNames = ({ draftAndPublish = true }: OfType = {}): string[] => [
  ...RESERVED_ATTRIBUTE_NAMES,
  ...(draftAndPublish ? RESERVED_ATTRIBUTE_NAMES_DRAFT_PUBLISH : []),
];

export const reservedNames = {
  RESERVED_ATTRIBUTE_NAMES,
  RESERVED_ATTRIBUTE_NAMES_DRAFT_PUBLISH,
  RESERVED_MODEL_NAMES,
  MORPH_TO_KEYS: ['__type'],
  DYNAMIC_ZONE_KEYS: ['__component'],
  RELATION_OPERATION_KEYS: ['connect', 'disconnect', 'set', 'options'],
  getReservedAttributeNames: attributeNames,
  getReservedModelNames: () => [...RESERVED_MODEL_NAMES],
  isReservedAttributeName: (name: string, type?: OfType): boolean => isAmong(name, attributeNames(type)),
  isReservedModelName: (name: string): boolean => isAmong(name, RESERVED_MODEL_NAMES),
  findDraftAndPublishReservedAttributeNames: (names: readonly string[]): string[] =>
    [...names].filter((name) => isAmong(name, RESERVED_ATTRIBUTE_NAMES_DRAFT_PUBLISH)),
  getDraftAndPublishReservedAttributeWarning: (uid: string, name: string): string =>
    `The attribute name '${name}' on content type '${uid}' is reserved when 'draftAndPublish' is enabled. It conflicts with the Document Service / REST 'status' query parameter. Rename the attribute or disable the 'draftAndPublish' option.`,
  getDraftAndPublishEnableBlockedMessage: (names: readonly string[]): string =>
    `Cannot enable draft and publish while the following attribute names are reserved: ${names.join(', ')}. Rename them or remove them first.`,
};
