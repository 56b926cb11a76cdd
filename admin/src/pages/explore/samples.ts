/** A request as code: for a shell, for `fetch`, for the official client and in TypeScript. */
import { nestedQuery } from './query-model.ts';

export const SAMPLE_KINDS = ['url', 'curl', 'fetch', 'client', 'typescript'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

export interface Sampled {
  /** The origin of the server. */
  readonly origin: string;
  /** The prefix of the API. */
  readonly prefix: string;
  readonly method: string;
  /** The path with the prefix, without parameters. */
  readonly path: string;
  /** The query string. */
  readonly query: string;
  /** JSON; undefined without a body. */
  readonly body: string | undefined;
  /** Whether the caller sends a token. */
  readonly hasToken: boolean;
  /** The name of the request, such as `find`; the documentId, if the path has one. */
  readonly name: string;
  readonly documentId: string | undefined;
  readonly type: {
    readonly kind: 'collectionType' | 'singleType';
    readonly singularName: string;
    readonly pluralName: string;
    readonly typeName: string;
  };
}

/** The code of a request. */
export function sampleOf(kind: SampleKind, sampled: Sampled): string {
  switch (kind) {
    case 'url':
      return addressOf(sampled);
    case 'curl':
      return curlOf(sampled);
    case 'fetch':
      return fetchOf(sampled);
    case 'client':
      return clientOf(sampled);
    case 'typescript':
      return typescriptOf(sampled);
  }
}

const addressOf = ({ origin, path, query }: Sampled): string => `${origin}${path}${query === '' ? '' : `?${query}`}`;

/** A word for POSIX shells. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function curlOf(sampled: Sampled): string {
  const { method, body, hasToken } = sampled;
  // without --globoff, curl takes brackets as patterns
  const parts = [
    `curl --globoff ${quoted(addressOf(sampled))}`,
    ...(method === 'GET' ? [] : [`--request ${method}`]),
    ...(hasToken ? ['--header "Authorization: Bearer $GALLEY_TOKEN"'] : []),
    ...(body === undefined ? [] : [`--header 'Content-Type: application/json'`, `--data ${quoted(body)}`]),
  ];
  return parts.join(' \\\n  ');
}

/** A text as a literal of JavaScript. */
const literal = (text: string): string =>
  `'${JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replace(/[\u2028\u2029]/g, (c) => (c === '\u2028' ? '\\u2028' : '\\u2029'))}'`;

/** A value as code. */
function written(value: unknown, indent = ''): string {
  if (typeof value === 'string') return literal(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((one) => written(one, inner))
    : Object.entries(value).map(([key, one]) => {
        const name = key === '__proto__' ? "['__proto__']" : /^[A-Za-z_$][\w$]*$/.test(key) ? key : literal(key);
        return `${name}: ${written(one, inner)}`;
      });
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return open + close;
  const line = open === '[' ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
  if (line.length + indent.length <= 60 && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}

/** A body as code; the text itself if it is no JSON yet. */
function bodyOf(body: string, indent: string): string {
  try {
    return written(JSON.parse(body), indent);
  } catch {
    return literal(body);
  }
}

function fetchCall(sampled: Sampled): string {
  const { method, body, hasToken } = sampled;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
  const token = 'Authorization: `Bearer ${process.env.GALLEY_TOKEN}`';
  const headers = [...(hasToken ? [token] : []), ...(body === undefined ? [] : ["'Content-Type': 'application/json'"])];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${bodyOf(body, '  ')})`]),
  ];
  const address = literal(addressOf(sampled));
  return options.length === 0
    ? `await fetch(${address})`
    : `await fetch(${address}, {\n${options.map((one) => `  ${one},\n`).join('')}})`;
}

/** Whether an answer has no body. */
const isEmpty = ({ name }: Sampled): boolean => name === 'delete';

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is code
const refused = 'if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);';

function fetchOf(sampled: Sampled): string {
  const lines = [`const response = ${fetchCall(sampled)};`, refused];
  if (!isEmpty(sampled)) lines.push(`const ${namesOf(sampled)} = await response.json();`);
  return lines.join('\n');
}

const isList = ({ name, type }: Sampled): boolean => name === 'find' && type.kind === 'collectionType';

const namesOf = (sampled: Sampled): string => (isList(sampled) ? '{ data, meta }' : '{ data }');

/** Requests for which the official client has a method. */
const OF_CLIENT: ReadonlySet<string> = new Set(['find', 'findOne', 'create', 'update', 'delete']);

function clientOf(sampled: Sampled): string {
  const { origin, prefix, query, hasToken, name, body, documentId, type, method, path } = sampled;
  const auth = hasToken ? '\n  auth: process.env.GALLEY_TOKEN,' : '';
  const head = `import { strapi } from '@strapi/client';

const client = strapi({
  baseURL: ${literal(origin + prefix)},${auth}
});
`;
  const parameters = query === '' ? [] : [written(nestedQuery(query))];
  const data = dataOf(body);
  if (!OF_CLIENT.has(name) || (body !== undefined && data === undefined)) {
    const target = path.slice(prefix.length) + (query === '' ? '' : `?${query}`);
    const json =
      body === undefined
        ? ''
        : `,\n  headers: { 'Content-Type': 'application/json' },\n  body: JSON.stringify(${bodyOf(body, '  ')})`;
    const options = method === 'GET' ? '' : `, {\n  method: '${method}'${json},\n}`;
    return `${head}\nconst response = await client.fetch(${literal(target)}${options});\nconst { data } = await response.json();`;
  }
  const isSingle = type.kind === 'singleType';
  const manager = isSingle ? `single(${literal(type.singularName)})` : `collection(${literal(type.pluralName)})`;
  const values = [
    ...(documentId === undefined || isSingle ? [] : [literal(documentId)]),
    ...(data === undefined ? [] : [written(data)]),
    ...parameters,
  ];
  const call = `await client.${manager}.${name}(${values.join(', ')});`;
  return `${head}\n${isEmpty(sampled) ? '' : `const ${namesOf(sampled)} = `}${call}`;
}

/** `data` of a body, which the client wraps itself; undefined for other bodies. */
function dataOf(body: string | undefined): unknown {
  if (body === undefined) return undefined;
  try {
    const parsed = JSON.parse(body) as { readonly data?: unknown } | null;
    return parsed?.data;
  } catch {
    return undefined;
  }
}

function typescriptOf(sampled: Sampled): string {
  const { name, type } = sampled;
  const document = `${type.typeName}Document`;
  const isOfType = OF_CLIENT.has(name) || /^(?:publish|unpublish|discardDraft)$/.test(name);
  const answer = isList(sampled)
    ? `{ data: ${document}[]; meta: { pagination: Record<string, number> } }`
    : `{ data: ${document} }`;
  const lines = [
    ...(isOfType && !isEmpty(sampled)
      ? ['// Written by: npx galley types', `import type { ${document} } from './galley';`, '']
      : []),
    `const response = ${fetchCall(sampled)};`,
    refused,
  ];
  if (!isEmpty(sampled)) {
    lines.push(`const ${namesOf(sampled)} = (await response.json()) as ${isOfType ? answer : '{ data: unknown }'};`);
  }
  return lines.join('\n');
}
