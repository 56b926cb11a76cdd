/**
 * Recorded scenarios replayed for their reads: what they write is seeded by SQL, what they read is asked over HTTP and
 * compared as `test/conformance/replay.mjs` does. The answer to a write is the read of what it made.
 */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { App } from '../../../src/app.ts';
import type { ContentType } from '../../../src/schema/catalog.ts';
import type { Data, Place, Seeder } from '../content/seed.ts';
import { type Answer, CONFORMANCE_DIR, type RunningServer } from '../servers/project.ts';

export interface Step {
  readonly request: string;
  readonly as?: string;
  readonly name?: string;
  readonly body?: { readonly data?: Data };
  readonly form?: {
    readonly files?: readonly { readonly file: string; readonly type: string; readonly as?: string }[];
    readonly fileInfo?: Data;
  };
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly response?: unknown;
  readonly postgres?: { readonly response: unknown };
  readonly unordered?: boolean;
  readonly compare?: 'status' | 'error';
}

export interface Scenario {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** The scenarios of a file, by the number that its name begins with. */
export function scenariosOf(file: string): Scenario[] {
  const name = path.join(CONFORMANCE_DIR, '../scenarios', file);
  return JSON.parse(readFileSync(name, 'utf8')) as Scenario[];
}

const partsOf = (request: string): { method: string; path: string; query: string } => {
  const [, method = '', target = ''] = /^([A-Z]+) (\S.*)$/.exec(request) ?? [];
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  return { method, path, query };
};

/** The type behind a path of the API. */
function typeOf(app: App, path: string): ContentType | undefined {
  const [, , name] = path.split('/');
  return [...app.catalog.contentTypes.values()].find(
    (type) => type.routed && name === (type.kind === 'singleType' ? type.singularName : type.pluralName),
  );
}

/** Whether every write that a scenario succeeds with is one of content or files. */
export function canSeed(app: App, { steps }: Scenario): boolean {
  return steps.every((step) => {
    const { method, path } = partsOf(step.request);
    return method === 'GET' || step.status >= 400 || path === '/api/upload' || typeOf(app, path) !== undefined;
  });
}

/** Runs a scenario on an empty project and gives what is wrong, a line each. */
export async function replayReads(
  { title, steps }: Scenario,
  server: RunningServer,
  seeder: Seeder,
  secrets: Readonly<Record<string, string>>,
  engine: 'sqlite' | 'postgres',
): Promise<string[]> {
  const answers: Record<string, unknown> = {};
  const seen = new Map<string, string>();
  const problems: string[] = [];
  for (const [index, template] of steps.entries()) {
    const step = fill(template, answers) as Step;
    const { method } = partsOf(step.request);
    if (method !== 'GET' && step.status >= 400) continue;
    // a record is seeded without its bytes
    if (step.request.startsWith('GET /uploads/')) continue;
    const answer = method === 'GET' ? await ask(server, step, secrets) : await seed(server, seeder, step, secrets);
    const body = normalize(answer.body ?? answer.text, seen);
    answers[step.name ?? `step${index + 1}`] = answer.body;
    if (step.request.includes('/api/upload') && method !== 'GET') continue;
    const where = `${title}: step ${index + 1} ${step.request}`;
    if (method === 'GET' && answer.status !== step.status) {
      problems.push(`${where}: expected ${step.status}, got ${answer.status} ${JSON.stringify(body).slice(0, 300)}`);
    } else if (method !== 'DELETE' && step.compare !== 'status') {
      const difference = compare(step, body, engine);
      if (difference) problems.push(`${where}: ${difference}`);
    }
  }
  return problems;
}

function compare(step: Step, body: unknown, engine: 'sqlite' | 'postgres'): string | undefined {
  const view = step.compare === 'error' ? errorOutline : withoutHint;
  const expected = view((engine === 'postgres' && step.postgres?.response) || step.response);
  const got = view(body);
  if (step.unordered) {
    for (const side of [expected, got] as { data: unknown[] }[]) {
      side.data = [...side.data].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    }
  }
  return firstDifference(expected, got);
}

function ask(server: RunningServer, step: Step, secrets: Readonly<Record<string, string>>): Promise<Answer> {
  const { as = 'full', headers = {} } = step;
  const [, method = '', target = ''] = /^([A-Z]+) (\S.*)$/.exec(step.request) ?? [];
  return server.request(method, target, { headers, token: as === 'public' ? undefined : (secrets[as] ?? as) });
}

/** Seeds what a step writes, and reads it back as the caller, who must be able to. */
async function seed(server: RunningServer, seeder: Seeder, step: Step, secrets: Readonly<Record<string, string>>) {
  const { method, path, query } = partsOf(step.request);
  const read = async (target: string): Promise<Answer> => {
    const own = await ask(server, { ...step, request: `GET ${target}` }, secrets);
    return own.status === 403 ? ask(server, { ...step, as: 'full', request: `GET ${target}` }, secrets) : own;
  };
  if (path === '/api/upload') {
    const ids = await Promise.all((step.form?.files ?? []).map((file) => seeder.file(fileValues(file, step.form))));
    const answers = await Promise.all(ids.map((id) => read(`/api/upload/files/${id}`)));
    return { ...answers[0]!, body: answers.map((answer) => answer.body) };
  }
  const type = typeOf(server.app, path)!;
  const params = new URLSearchParams(query);
  const locale = params.get('locale') ?? undefined;
  const known = type.kind === 'singleType' ? seeder.documentOf(type.uid) : path.split('/')[3];
  if (method === 'DELETE') {
    if (known !== undefined) await seeder.remove(known, locale === '*' ? undefined : locale);
    return { status: 204, body: undefined, text: '', headers: new Headers() };
  }
  const place: Place = { locale, status: params.get('status') === 'draft' ? 'draft' : 'published' };
  const data = step.body?.data ?? {};
  const { locale: _, ...written } = data;
  if (known !== undefined) await seeder.update(type.uid, known, written, place);
  const documentId = known ?? (await seeder.create(type.uid, written, place));
  const target = type.kind === 'singleType' ? path : `/api/${type.pluralName}/${documentId}`;
  return read(`${target}?${query}`);
}

function fileValues(file: { file: string; type: string; as?: string }, form: Step['form']): Data {
  const name = file.as ?? file.file;
  const ext = path.extname(name);
  const hash = `${path.basename(String(form?.fileInfo?.['name'] ?? name), ext)}_0123456789`;
  const url = `/uploads/${hash}${ext}`;
  return {
    name,
    ext,
    hash,
    url,
    mime: file.type,
    size: kilobytes(file.file),
    provider: 'local',
    folderPath: '/1',
    ...form?.fileInfo,
  };
}

/** The size of a file record: thousands of bytes with two decimals. */
function kilobytes(file: string): number {
  return Math.round(statSync(path.join(CONFORMANCE_DIR, '../files', file)).size / 10) / 100;
}

/** Puts values of earlier answers in place of `{{step.path}}`. */
function fill(template: unknown, answers: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === 'string') {
    const lookUp = (reference: string): unknown => {
      const [step = '', ...rest] = reference.trim().split('.');
      // biome-ignore lint/suspicious/noExplicitAny: answers are of any form
      return rest.reduce((value: any, key) => value?.[key], answers[step]);
    };
    const whole = /^\{\{([^}]+)\}\}$/.exec(template);
    if (whole) return lookUp(whole[1]!);
    return template.replaceAll(/\{\{([^}]+)\}\}/g, (_, reference: string) => String(lookUp(reference)));
  }
  if (Array.isArray(template)) return template.map((item) => fill(item, answers));
  if (typeof template !== 'object' || template === null) return template;
  // an expected answer holds placeholders of its own, in other brackets
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fill(value, answers)]));
}

const TIME_KEYS = new Set(['createdAt', 'updatedAt', 'publishedAt']);

function normalize(value: unknown, seen: Map<string, string>, key?: string): unknown {
  if (Array.isArray(value)) return value.map((item) => normalize(item, seen, key));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, normalize(item, seen, name)]));
  }
  if (key === 'id' && Number.isInteger(value)) return '<id>';
  if (typeof value !== 'string') return value;
  if (key === 'documentId') {
    if (!seen.has(value)) seen.set(value, `<doc:${seen.size + 1}>`);
    return seen.get(value);
  }
  if (TIME_KEYS.has(key ?? '') && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return '<time>';
  let text = value;
  for (const [id, name] of seen) text = text.split(id).join(name);
  return text.replace(/_[0-9a-f]{10}(?=\.|$)/g, '_<hash>');
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are of any form
function withoutHint(body: any): unknown {
  if (body?.error?.details?.hint === undefined) return structuredClone(body);
  const { hint: _, ...details } = body.error.details;
  return { ...body, error: { ...body.error, details } };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are of any form
function errorOutline(body: any): unknown {
  const error = body?.error;
  if (!error) return body;
  const paths = (error.details?.errors ?? []).map((one: { path?: string[] }) => one.path?.join('.')).sort();
  return { data: body.data, error: { status: error.status, name: error.name, paths } };
}

/** Where two values differ first; undefined when they do not. */
function firstDifference(expected: unknown, got: unknown, at = ''): string | undefined {
  if (isDeepStrictEqual(expected, got)) return undefined;
  const isTree = (value: unknown): value is Data => typeof value === 'object' && value !== null;
  if (!isTree(expected) || !isTree(got) || Array.isArray(expected) !== Array.isArray(got)) {
    const show = (value: unknown) => JSON.stringify(value)?.slice(0, 160);
    return `${at || '(body)'}: expected ${show(expected)}, got ${show(got)}`;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
    const difference = firstDifference(expected[key], got[key], at ? `${at}.${key}` : key);
    if (difference) return difference;
  }
  return undefined;
}
