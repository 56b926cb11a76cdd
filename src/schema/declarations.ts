/** Catalog → TypeScript declarations of its documents, for `galley types` (docs/reference/document-service.md). */
import {
  type Attribute,
  type Catalog,
  type Component,
  type ContentType,
  FILE_UID,
  type Model,
  type RelationAttribute,
  type ScalarAttribute,
  type ScalarType,
} from './catalog.ts';

/** TypeScript types of scalar values as they are read. */
const READ: Readonly<Record<ScalarType, string>> = {
  string: 'string',
  text: 'string',
  richtext: 'string',
  blocks: 'object[]',
  email: 'string',
  password: 'never',
  uid: 'string',
  enumeration: 'string',
  integer: 'number',
  biginteger: 'string',
  float: 'number',
  decimal: 'number',
  boolean: 'boolean',
  date: 'string',
  time: 'string',
  datetime: 'string',
  timestamp: 'string',
  json: 'unknown',
};

/** What may be written besides the type that is read. */
const WRITTEN_TOO: Partial<Readonly<Record<ScalarType, string>>> = {
  integer: 'number | string',
  biginteger: 'bigint | number | string',
  float: 'number | string',
  decimal: 'number | string',
  date: 'Date | string',
  datetime: 'Date | number | string',
  timestamp: 'Date | number | string',
  password: 'string',
};

const HEAD = `// Written by \`galley types\` from the schema files: run it again after changing them.
import 'galley';

/** A document by its documentId, a row by its id, or either in an object with where it goes. */
type Entry =
  | string
  | number
  | {
      documentId?: string;
      id?: number;
      locale?: string;
      status?: 'draft' | 'published';
      position?: { before?: string; after?: string; start?: true; end?: true };
    };
/** An entry of a relation to any type. */
type TypedEntry = Exclude<Entry, string | number> & { __type: string };
type Edit<E> = E | null | readonly E[] | { set: E | readonly E[] } | { connect?: E | readonly E[]; disconnect?: E | readonly E[] };
/** A file by its id or documentId. */
type FileEntry = string | number | { id: number } | { documentId: string };
`;

/** The text of a declaration file that adds a project's types to \`Documents\`. */
export function declarationsOf(catalog: Catalog): string {
  const types = [...catalog.contentTypes.values()].filter(({ uid }) => !uid.startsWith('admin::'));
  const components = [...catalog.components.values()];
  const entries = types.map((type) => {
    const input = type.builtIn ? 'never' : inputName(type);
    return `    ${JSON.stringify(type.uid)}: { output: ${outputName(type)}; input: ${input} };`;
  });
  const models = [...types, ...components].flatMap((model) => [
    outputOf(catalog, model),
    ...(model.modelType === 'component' || !model.builtIn ? [inputOf(catalog, model)] : []),
  ]);
  const documents = `declare module 'galley' {\n  interface Documents {\n${entries.join('\n')}\n  }\n}\n`;
  return [HEAD, ...models, documents].join('\n');
}

/** `BlogPost` of `blog-post`. */
function pascal(name: string): string {
  return name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The name of a model in what is generated for programs: `Article`, `SharedSeo`. */
export function nameOf(model: Model): string {
  if (model.modelType === 'component') return pascal(model.uid);
  // types of plugins may be called as one of the project's own
  const [plugin] = model.uid.startsWith('api::') ? [''] : model.uid.replace(/^plugin::/, '').split('.');
  return pascal(`${plugin}-${model.singularName}`);
}

const outputName = (model: Model) => `${nameOf(model)}${model.modelType === 'component' ? 'Component' : 'Document'}`;
const inputName = (model: Model) => `${nameOf(model)}${model.modelType === 'component' ? 'ComponentInput' : 'Input'}`;

function outputOf(catalog: Catalog, model: Model): string {
  const lines = ['id: number;'];
  if (model.modelType === 'contentType') lines.push('documentId: string;');
  for (const attribute of model.attributes.values()) {
    if (attribute.private || attribute.secret || attribute.type === 'password') continue;
    const type = readType(catalog, model, attribute);
    // what is only populated is present if it was asked for
    if (type) lines.push(`${key(attribute.name)}${attribute.type in READ ? '' : '?'}: ${type};`);
  }
  if (model.modelType === 'contentType') {
    lines.push('createdAt: string;', 'updatedAt: string;', 'publishedAt: string | null;');
    if (model.localized) lines.push('locale: string;', `localizations?: ${outputName(model)}[];`);
  }
  return declaration(outputName(model), lines, model);
}

function inputOf(catalog: Catalog, model: Model): string {
  // an entry with an id is merged into the stored one
  const lines = model.modelType === 'component' ? ['id?: number | string;'] : [];
  for (const attribute of model.attributes.values()) {
    lines.push(`${key(attribute.name)}?: ${writtenType(catalog, attribute)};`);
  }
  return declaration(inputName(model), lines, model);
}

function declaration(name: string, lines: readonly string[], { uid }: Model): string {
  return `/** \`${uid}\` */\nexport interface ${name} {\n${lines.map((line) => `  ${line}`).join('\n')}\n}\n`;
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function scalarOf(
  { type, enum: values }: ScalarAttribute,
  types: Partial<Readonly<Record<ScalarType, string>>>,
): string {
  if (type === 'enumeration' && values.length > 0) return values.map((value) => JSON.stringify(value)).join(' | ');
  return types[type] ?? READ[type];
}

function readType(catalog: Catalog, model: Model, attribute: Attribute): string | undefined {
  switch (attribute.type) {
    case 'media': {
      const file = outputName(catalog.contentTypes.get(FILE_UID)!);
      return attribute.multiple ? `${file}[]` : `${file} | null`;
    }
    case 'relation':
      return readRelation(catalog, attribute);
    case 'component': {
      const component = outputName(catalog.components.get(attribute.component)!);
      return attribute.repeatable ? `${component}[]` : `${component} | null`;
    }
    case 'dynamiczone':
      return `(${parts(catalog, attribute.components, outputName)})[]`;
    default: {
      // drafts may lack required values, and drafts contain components
      const whole = attribute.required && model.modelType === 'contentType' && !model.draftAndPublish;
      const type = scalarOf(attribute, READ);
      return whole || type === 'unknown' ? type : `${type} | null`;
    }
  }
}

/** Undefined for relations to types that are not among the declarations. */
function readRelation(catalog: Catalog, { target, relation }: RelationAttribute): string | undefined {
  const many = /Many$/.test(relation);
  if (target === undefined) return many ? '({ __type: string } & object)[]' : '({ __type: string } & object) | null';
  const type = catalog.contentTypes.get(target);
  if (!type || target.startsWith('admin::')) return undefined;
  return many ? `${outputName(type)}[]` : `${outputName(type)} | null`;
}

function writtenType(catalog: Catalog, attribute: Attribute): string {
  switch (attribute.type) {
    case 'media':
      return 'FileEntry | null | readonly FileEntry[]';
    case 'relation':
      return attribute.target === undefined ? 'Edit<TypedEntry>' : 'Edit<Entry>';
    case 'component': {
      const component = inputName(catalog.components.get(attribute.component)!);
      return attribute.repeatable ? `readonly ${component}[]` : `${component} | null`;
    }
    case 'dynamiczone':
      return `readonly (${parts(catalog, attribute.components, inputName)})[]`;
    default: {
      const type = scalarOf(attribute, WRITTEN_TOO);
      return type === 'unknown' ? type : `${type} | null`;
    }
  }
}

/** The components of a zone, distinguished by `__component`. */
function parts(
  catalog: Catalog,
  uids: readonly string[],
  name: (component: Component | ContentType) => string,
): string {
  const known = uids.flatMap((uid) => catalog.components.get(uid) ?? []);
  if (known.length === 0) return 'never';
  return known
    .map((component) => `({ __component: ${JSON.stringify(component.uid)} } & ${name(component)})`)
    .join(' | ');
}
