/**
 * A conversation with the project `test/projects/magazine`, whose code runs, and the form in which its answers are held
 * against those of Strapi 5.54 (`test/projects/magazine-answers.json`).
 */

/** One request. `{{name}}` stands for something that an earlier answer has given. */
export interface Step {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly as?: 'ann' | 'bob';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** What of the answer later requests name: a path in its body, such as `data.documentId`. */
  readonly keep?: Readonly<Record<string, string>>;
}

export interface StepAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const WRITER = { 'x-writer': 'yes' };
const HEADERS = ['x-time', 'x-views', 'location', 'content-disposition', 'content-type'];

const register = (name: string): Step => ({
  name: `register ${name}`,
  method: 'POST',
  target: '/auth/local/register',
  body: { username: name, email: `${name}@example.com`, password: 'Abcdef1234' },
  keep: { [`${name}.jwt`]: 'jwt' },
});
const reasons = ['400', '401', '403', '404', '409', '413', '418', '422', '429', '501', '503', 'assert', 'other'];

export const CONVERSATION: readonly Step[] = [
  register('ann'),
  register('bob'),
  { name: 'an API without a type', method: 'GET', target: '/status' },
  { name: 'a pattern', method: 'GET', target: '/status/up' },
  { name: 'a pattern that does not match', method: 'GET', target: '/status/sideways' },
  { name: 'method ALL, by PATCH', method: 'PATCH', target: '/status/echo', body: { a: [1] } },
  { name: 'method ALL, by GET', method: 'GET', target: '/status/echo' },
  { name: 'an error nobody meant to tell', method: 'GET', target: '/status/fail' },
  ...reasons.map((status) => ({ name: `reason ${status}`, method: 'GET', target: `/status/reasons/${status}` })),
  { name: 'a redirect', method: 'GET', target: '/status/redirect' },
  { name: 'a file', method: 'GET', target: '/status/file' },
  { name: 'an action that answers nothing', method: 'GET', target: '/status/nothing' },
  { name: 'a custom action without its grant', method: 'GET', target: '/status/whoami' },
  { name: 'a custom action with its grant', method: 'GET', target: '/status/whoami', as: 'ann' },
  { name: 'a token that is none', method: 'GET', target: '/status/whoami', headers: { authorization: 'Bearer x' } },
  {
    name: 'a category by a subscribed lifecycle',
    method: 'POST',
    target: '/categories',
    as: 'ann',
    body: { data: { name: 'news' } },
    keep: { category: 'data.documentId' },
  },
  { name: 'a list through an overridden service', method: 'GET', target: '/categories?fields=name,slug' },
  { name: 'what a wrong parameter is told', method: 'GET', target: '/categories?filters[nope]=1' },
  { name: 'a policy that refuses', method: 'POST', target: '/articles', as: 'ann', body: { data: { title: 'A' } } },
  {
    name: 'no grant before the policy',
    method: 'POST',
    target: '/articles',
    headers: WRITER,
    body: { data: { title: 'A' } },
  },
  {
    name: 'a controller that refuses',
    method: 'POST',
    target: '/articles',
    as: 'ann',
    headers: WRITER,
    body: { data: { title: 'forbidden' } },
  },
  {
    name: 'a body without data',
    method: 'POST',
    target: '/articles',
    as: 'ann',
    headers: WRITER,
    body: { title: 'A' },
  },
  {
    name: 'a key that is none',
    method: 'POST',
    target: '/articles',
    as: 'ann',
    headers: WRITER,
    body: { data: { title: 'A', nope: 1 } },
  },
  {
    name: 'an article with slug and excerpt',
    method: 'POST',
    target: '/articles',
    as: 'ann',
    headers: WRITER,
    body: { data: { title: 'Über uns!', body: 'A long body of the article', secret: 's', category: '{{category}}' } },
    keep: { article: 'data.documentId' },
  },
  { name: 'what lifecycles have logged', method: 'GET', target: '/event-logs?sort=id', as: 'ann' },
  { name: 'a list with an injected populate', method: 'GET', target: '/articles' },
  {
    name: 'filters beside an injected populate',
    method: 'GET',
    target: '/articles?filters[slug]=uber-uns&fields=title&populate=*',
  },
  { name: 'an article with an injected populate', method: 'GET', target: '/articles/{{article}}' },
  { name: 'an article that is not there', method: 'GET', target: '/articles/none' },
  {
    name: 'an article by its slug',
    method: 'GET',
    target: '/articles/slug/uber-uns?fields[0]=title&fields[1]=excerpt',
  },
  { name: 'a slug that is not there', method: 'GET', target: '/articles/slug/none' },
  { name: 'a wrong parameter of a custom action', method: 'GET', target: '/articles/slug/uber-uns?fields[0]=nope' },
  { name: 'a count before findOne', method: 'GET', target: '/articles/count' },
  { name: 'a policy with a configuration that throws', method: 'POST', target: '/articles/{{article}}/view' },
  {
    name: 'a policy with a configuration that refuses',
    method: 'POST',
    target: '/articles/{{article}}/view',
    headers: { 'x-reader': 'none' },
  },
  {
    name: 'a custom action that writes',
    method: 'POST',
    target: '/articles/{{article}}/view',
    headers: { 'x-reader': 'yes' },
  },
  { name: 'a custom action of nothing', method: 'POST', target: '/articles/none/view', headers: { 'x-reader': 'yes' } },
  {
    name: 'an update through a lifecycle',
    method: 'PUT',
    target: '/articles/{{article}}',
    as: 'ann',
    body: { data: { title: 'Changed title', body: 'Another body' } },
  },
  { name: 'what is published then', method: 'GET', target: '/articles/{{article}}?fields=title,slug,excerpt,views' },
  {
    name: 'an update of an article that is not there',
    method: 'PUT',
    target: '/articles/none',
    as: 'ann',
    body: { data: { title: 'x' } },
  },
  { name: 'a route that a router leaves out', method: 'DELETE', target: '/articles/{{article}}', as: 'ann' },
  {
    name: 'a wrong captcha',
    method: 'POST',
    target: '/comments',
    as: 'ann',
    body: { data: { text: 'hi', captcha: 'six' } },
  },
  {
    name: 'a right captcha',
    method: 'POST',
    target: '/comments',
    as: 'ann',
    body: { data: { text: 'hi', captcha: 'seven', article: '{{article}}' } },
    keep: { comment: 'data.documentId' },
  },
  {
    name: 'an update by somebody else',
    method: 'PUT',
    target: '/comments/{{comment}}',
    as: 'bob',
    body: { data: { text: 'mine' } },
  },
  {
    name: 'an update by its owner',
    method: 'PUT',
    target: '/comments/{{comment}}',
    as: 'ann',
    body: { data: { text: 'changed' } },
  },
  { name: 'a removal by somebody else', method: 'DELETE', target: '/comments/{{comment}}', as: 'bob' },
  { name: 'a removal by its owner', method: 'DELETE', target: '/comments/{{comment}}', as: 'ann' },
  { name: 'comments then', method: 'GET', target: '/comments', as: 'ann' },
  { name: 'a type that no code touches', method: 'GET', target: '/plains', as: 'ann' },
  { name: 'a type without a grant', method: 'GET', target: '/plains' },
  { name: 'a path that is none', method: 'GET', target: '/nowhere' },
  { name: 'a method that a custom path does not have', method: 'DELETE', target: '/status' },
];

/** Has a conversation with a server; gives the answers by the names of the steps. */
export async function converse(url: string): Promise<Record<string, StepAnswer>> {
  const kept = new Map<string, string>();
  const filled = (text: string) =>
    text.replaceAll(/\{\{([\w.]+)\}\}/g, (_whole, name: string) => kept.get(name) ?? name);
  const names = new Map<string, string>();
  const answers: Record<string, StepAnswer> = {};
  for (const step of CONVERSATION) {
    const headers: Record<string, string> = { ...step.headers };
    if (step.as) headers['authorization'] = `Bearer ${kept.get(`${step.as}.jwt`)}`;
    if (step.body !== undefined) headers['content-type'] = 'application/json';
    const response = await fetch(`${url}/api${filled(step.target)}`, {
      method: step.method,
      headers,
      redirect: 'manual',
      ...(step.body === undefined ? {} : { body: filled(JSON.stringify(step.body)) }),
    });
    const text = await response.text();
    const body: unknown = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
    for (const [name, path] of Object.entries(step.keep ?? {})) kept.set(name, String(valueAt(body, path)));
    const shown = HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value.toLowerCase()] as const];
    });
    answers[step.name] = { status: response.status, headers: Object.fromEntries(shown), body: comparable(body, names) };
  }
  return answers;
}

const valueAt = (body: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body);

/** An answer without what differs from one run to the next: ids, times and tokens. */
function comparable(value: unknown, names: Map<string, string>, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => comparable(item, names, key));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, comparable(inner, names, name)]));
  }
  if (typeof value === 'string' && key === 'documentId') {
    names.set(value, names.get(value) ?? `document ${names.size + 1}`);
    return names.get(value);
  }
  if (key === 'id' && typeof value === 'number') return 'id';
  if (key === 'jwt') return 'jwt';
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? 'time' : value;
}
