/**
 * Generates TypeScript declarations of a Catalog's documents for `galley types` (docs/reference/document-service.md).
 */
import {
  type Attribute,
  type Catalog,
  type Component,
  type ContentType,
  CREATORS,
  FILE_UID,
  type Model,
  modelOf,
  type RelationAttribute,
  type ScalarAttribute,
  type ScalarType,
  USER_UID,
} from './catalog.ts';

/** The default file of declarations in a project. */
export const TYPES_FILE = 'galley.d.ts';

/** TypeScript types of scalar values in results. */
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

/** Further TypeScript types that may be written. */
const ALSO_WRITABLE: Partial<Readonly<Record<ScalarType, string>>> = {
  integer: 'number | string',
  biginteger: 'bigint | number | string',
  float: 'number | string',
  decimal: 'number | string',
  date: 'Date | string',
  datetime: 'Date | number | string',
  timestamp: 'Date | number | string',
  password: 'string',
};

/**
 * Built-in types whose writes the project's code may change, and the changeable values of a file, with their types if
 * they differ.
 */
const HOOKED: ReadonlySet<string> = new Set([USER_UID, FILE_UID]);
const TOLD_OF_FILES: ReadonlyMap<string, string> = new Map([
  ...['name', 'alternativeText', 'caption', 'focalPoint'].map((name) => [name, ''] as const),
  ['folder', 'number | null'],
]);

/** System fields that a project may hide. */
const TIMES: readonly string[] = ['createdAt', 'updatedAt', 'publishedAt'];

const HEAD = `// Written by \`galley types\` from the schema files: run it again after changing them.
import 'galley';

/** A document by its documentId, a row by its id, or either in an object with its position. */
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
/** An entry of a morph relation. */
type TypedEntry = Exclude<Entry, string | number> & { __type: string };
type Edit<E> = E | null | readonly E[] | { set: E | readonly E[] } | { connect?: E | readonly E[]; disconnect?: E | readonly E[] };
/** The author of a document. */
interface Creator {
  id: number;
  documentId: string;
  firstname: string | null;
  lastname: string | null;
  username: string | null;
  preferedLanguage: string | null;
  createdAt: string | null;
  updatedAt: string | null;
  publishedAt: string | null;
}
/** A file by its id or documentId. */
type FileEntry = string | number | { id: number } | { documentId: string };
`;

/** The text of a declaration file that adds the project's types to `Documents`. */
export function declarationsOf(catalog: Catalog): string {
  const types = [...catalog.contentTypes.values()].filter(({ uid }) => !uid.startsWith('admin::'));
  const components = [...catalog.components.values()];
  const models = [...types, ...components];
  const wide = withPrivate(catalog, models);
  const entries = types.map((type) => {
    const written = inputName(type);
    const parts = [
      `output: ${outputName(type)}`,
      `input: ${type.builtIn ? 'never' : written}`,
      ...(wide.has(type) ? [`whole: ${wholeName(type)}`] : []),
      ...(HOOKED.has(type.uid) ? [`written: ${written}`] : []),
    ];
    return `    ${JSON.stringify(type.uid)}: { ${parts.join('; ')} };`;
  });
  const interfaces = models.flatMap((model) => [
    outputOf(catalog, model),
    ...(wide.has(model) ? [wholeOf(catalog, model, wide)] : []),
    ...(model.modelType === 'component' || !model.builtIn || HOOKED.has(model.uid) ? [inputOf(catalog, model)] : []),
  ]);
  const documents = `declare module 'galley' {\n  interface Documents {\n${entries.join('\n')}\n  }\n}\n`;
  return [HEAD, ...interfaces, documents].join('\n');
}

/** The models that have private attributes, or lead to such models. */
function withPrivate(catalog: Catalog, models: readonly Model[]): ReadonlySet<Model> {
  const wide = new Set(models.filter((model) => TIMES.some((name) => hides(model, name))));
  let before = -1;
  while (before < wide.size) {
    before = wide.size;
    for (const model of models) {
      const isWide = [...model.attributes.values()].some(
        (attribute) =>
          !isSecret(attribute) && (attribute.private || targetsOf(catalog, attribute).some((one) => wide.has(one))),
      );
      if (isWide) wide.add(model);
    }
  }
  return wide;
}

const hides = (model: Model, name: string): boolean => model.modelType === 'contentType' && model.hidden.includes(name);

const isSecret = ({ type, secret }: Attribute): boolean => type === 'password' || secret === true;

/** The target models of an attribute. */
function targetsOf(catalog: Catalog, attribute: Attribute): readonly Model[] {
  switch (attribute.type) {
    case 'media':
      return [modelOf(catalog, FILE_UID)];
    case 'relation':
      return attribute.target === undefined ? [] : [modelOf(catalog, attribute.target)];
    case 'component':
      return [modelOf(catalog, attribute.component)];
    case 'dynamiczone':
      return attribute.components.flatMap((uid) => catalog.components.get(uid) ?? []);
    default:
      return [];
  }
}

/** `BlogPost` of `blog-post`. */
function pascal(name: string): string {
  return name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The name of a model in generated code: `Article`, `SharedSeo`. */
export function nameOf(model: Model): string {
  if (model.modelType === 'component') return pascal(model.uid);
  // types of plugins may have the name of a project's type
  const [plugin] = model.uid.startsWith('api::') ? [''] : model.uid.replace(/^plugin::/, '').split('.');
  return pascal(`${plugin}-${model.singularName}`);
}

const outputName = (model: Model) => `${nameOf(model)}${model.modelType === 'component' ? 'Component' : 'Document'}`;
const inputName = (model: Model) => `${nameOf(model)}${model.modelType === 'component' ? 'ComponentInput' : 'Input'}`;

const wholeName = (model: Model) => `${nameOf(model)}${model.modelType === 'component' ? 'ComponentWhole' : 'Whole'}`;

type NameOf = (model: Model) => string;

/** The readable, non-private values of a model. */
function outputOf(catalog: Catalog, model: Model): string {
  const lines = ['id: number;'];
  if (model.modelType === 'contentType') lines.push('documentId: string;');
  for (const attribute of model.attributes.values()) {
    if (attribute.private || isSecret(attribute)) continue;
    lines.push(...readLine(catalog, model, attribute, outputName));
  }
  if (model.modelType === 'contentType') {
    lines.push(...TIMES.filter((name) => !hides(model, name)).map((name) => timeLine(name)));
    if (model.showsCreators) {
      lines.push(...CREATORS.filter((name) => !hides(model, name)).map((name) => `${name}?: Creator | null;`));
    }
    if (model.localized && !hides(model, 'locale')) lines.push('locale: string;');
    if (model.localized) lines.push(`localizations?: ${outputName(model)}[];`);
  }
  return declaration(outputName(model), lines, `\`${model.uid}\``);
}

/**
 * The values of a model with private attributes, and with attributes that lead to models with private ones.
 *
 * @param wide the models with private parts.
 */
function wholeOf(catalog: Catalog, model: Model, wide: ReadonlySet<Model>): string {
  const name: NameOf = (one) => (wide.has(one) ? wholeName(one) : outputName(one));
  const lines: string[] = [];
  for (const attribute of model.attributes.values()) {
    const isWide = attribute.private || targetsOf(catalog, attribute).some((one) => wide.has(one));
    if (isWide && !isSecret(attribute)) lines.push(...readLine(catalog, model, attribute, name));
  }
  if (model.modelType === 'contentType') {
    lines.push(...TIMES.filter((time) => hides(model, time)).map((time) => timeLine(time)));
    if (model.localized && hides(model, 'locale')) lines.push('locale: string;');
    if (model.localized) lines.push(`localizations?: ${wholeName(model)}[];`);
  }
  return declaration(
    `${wholeName(model)} extends ${outputName(model)}`,
    lines,
    `\`${model.uid}\` with what is private`,
  );
}

const timeLine = (name: string): string => `${name}: string${name === 'publishedAt' ? ' | null' : ''};`;

/** The line of an attribute; empty if it is not declared. Populated attributes are optional. */
function readLine(catalog: Catalog, model: Model, attribute: Attribute, name: NameOf): string[] {
  const type = readType(catalog, model, attribute, name);
  return type ? [`${key(attribute.name)}${attribute.type in READ ? '' : '?'}: ${type};`] : [];
}

function inputOf(catalog: Catalog, model: Model): string {
  // an entry with an id is merged into the stored one
  const lines = model.modelType === 'component' ? ['id?: number | string;'] : [];
  for (const attribute of model.attributes.values()) {
    const comment = model.uid === FILE_UID ? TOLD_OF_FILES.get(attribute.name) : '';
    if (comment !== undefined) lines.push(`${key(attribute.name)}?: ${comment || writtenType(catalog, attribute)};`);
  }
  return declaration(inputName(model), lines, `\`${model.uid}\``);
}

function declaration(name: string, lines: readonly string[], comment: string): string {
  return `/** ${comment} */\nexport interface ${name} {\n${lines.map((line) => `  ${line}`).join('\n')}\n}\n`;
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

function readType(catalog: Catalog, model: Model, attribute: Attribute, name: NameOf): string | undefined {
  switch (attribute.type) {
    case 'media': {
      const file = name(modelOf(catalog, FILE_UID));
      return attribute.multiple ? `${file}[]` : `${file} | null`;
    }
    case 'relation':
      return readRelation(catalog, attribute, name);
    case 'component': {
      const component = name(modelOf(catalog, attribute.component));
      return attribute.repeatable ? `${component}[]` : `${component} | null`;
    }
    case 'dynamiczone':
      return `(${parts(catalog, attribute.components, name)})[]`;
    default: {
      // drafts may lack required values, and so may components in drafts and hidden attributes
      const isChecked = attribute.required && attribute.visibility === undefined;
      const whole = isChecked && model.modelType === 'contentType' && !model.draftAndPublish;
      const type = scalarOf(attribute, READ);
      return whole || type === 'unknown' ? type : `${type} | null`;
    }
  }
}

/** Undefined for relations to undeclared types. */
function readRelation(catalog: Catalog, { target, relation }: RelationAttribute, name: NameOf): string | undefined {
  const many = /Many$/.test(relation);
  if (target === undefined) return many ? '({ __type: string } & object)[]' : '({ __type: string } & object) | null';
  const type = catalog.contentTypes.get(target);
  if (!type || target.startsWith('admin::')) return undefined;
  return many ? `${name(type)}[]` : `${name(type)} | null`;
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
      const type = scalarOf(attribute, ALSO_WRITABLE);
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
