/**
 * The HTML page of the API's description. It loads nothing but itself, with a token that the reader enters, and is
 * readable without scripts.
 */
import { createHash } from 'node:crypto';
import { PARAMETERS } from './operations.ts';
import type { Schema } from './schemas.ts';
import { escaped, shapeOf } from './shape.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h3 { font-size: 1em; margin: 1rem 0 .3rem; } summary { cursor: pointer; padding: .3rem 0; } code, pre { font: .9em ui-monospace, monospace; }
summary code { display: inline-block; min-width: 4.5rem; font-weight: bold; }
pre { overflow: auto; padding: .8rem; border: 1px solid #8886; border-radius: .4rem; }
details { border-bottom: 1px solid #8884; } table { border-collapse: collapse; } td { padding: .1rem 1rem .1rem 0; vertical-align: top; }`;

const FOR_A_TOKEN = '<p>These are the requests that the token permits.</p>';
const FOR_EVERYBODY = '<p>These are the requests that need no token.</p>';
const FORM = `<form hidden><p><label>API token, or token of an account <input name="token" type="password" autocomplete="off" required></label>
<button>Show its requests</button> <button type="reset">Show requests without a token</button> <output></output></p>
<p>The token is sent to this server only, and is gone when the page is closed or reloaded.</p></form>`;
const WITHOUT_SCRIPT = `<div id="without"><p>To see the requests of a token or an account, load this page with its token:</p>
<pre>curl --header "Authorization: Bearer TOKEN" --output docs.html ADDRESS-OF-THIS-PAGE</pre></div>`;

/**
 * Requests the page again with a token, as the token's holder. The token stays in the memory of the page: it is in no
 * address and in no storage.
 */
const SCRIPT = `
const form = document.querySelector('form');
const output = form.querySelector('output');
const shown = document.querySelector('main');
const initial = [...shown.childNodes];
let requests = 0;
const show = async (token) => {
  const own = ++requests;
  output.value = 'Loading …';
  let text;
  try {
    const headers = new Headers({ authorization: 'Bearer ' + token });
    const answer = await fetch(location.pathname, { headers, cache: 'no-store', credentials: 'omit' });
    const body = await answer.text();
    text = answer.ok ? '' : answer.status + ': ' + JSON.parse(body).error.message;
    if (own !== requests) return;
    if (answer.ok) {
      const page = new DOMParser().parseFromString(body, 'text/html');
      shown.replaceChildren(...page.querySelector('main').childNodes);
    }
  } catch {
    text = 'The request with this token failed.';
  }
  if (own === requests) output.value = text;
};
form.addEventListener('submit', (event) => {
  event.preventDefault();
  show(form.elements.token.value.trim().replace(/^Bearer /i, ''));
});
form.addEventListener('reset', () => {
  requests += 1;
  output.value = '';
  shown.replaceChildren(...initial);
});
if (location.protocol.startsWith('http')) {
  form.hidden = false;
  document.querySelector('#without')?.remove();
}
`;

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The policy of the page (https://www.w3.org/TR/CSP3/): its own style and script, and requests to its own server. */
export const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type Tree = { readonly [key: string]: Tree };

/** The audience of a page. */
export interface PageReader {
  /** Whether the request came without credentials. */
  readonly isPublic: boolean;
  /** The address of the page of the administration app that sends requests; undefined without the app. */
  readonly explorer: string | undefined;
}

/** The page of a description. */
export function pageOfApi(document: Schema, { isPublic, explorer }: PageReader): string {
  const { info, paths, tags, components } = document as unknown as {
    info: { title: string };
    paths: Record<string, Record<string, Tree>>;
    tags: { name: string }[];
    components: { schemas: Record<string, Schema> };
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => (operation['tags'] as unknown as string[])[0] === name);
    return `<h2>${escaped(name)}</h2>${own.map(operationHtml).join('')}`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="${escaped(name)}"><summary>${escaped(name)}</summary>${
        typeof schema['description'] === 'string' ? `<p>${escaped(schema['description'])}</p>` : ''
      }<pre>${shapeOf(schema)}</pre></details>`,
  );
  const title = escaped(info.title);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body>
<h1>${title}</h1>${isPublic ? FORM + WITHOUT_SCRIPT : ''}<main>${isPublic ? FOR_EVERYBODY : FOR_A_TOKEN}
<p>For programs: <a href="openapi.json"><code>openapi.json</code></a>${isPublic ? '.' : ', with the same token.'}${
    explorer === undefined
      ? ''
      : ` For site owners: the <a href="${escaped(explorer)}">administration app</a> sends requests as any role or token.`
  }</p>
${groups.join('\n')}<h2>Schemas</h2>${schemas.join('\n')}</main>${isPublic ? `<script>${SCRIPT}</script>` : ''}</body></html>\n`;
}

function operationHtml({ path, method, operation }: { path: string; method: string; operation: Tree }): string {
  const parameters = (operation['parameters'] as unknown as Schema[]).map((one) => {
    const { $ref } = one;
    const parameter = typeof $ref === 'string' ? PARAMETERS[$ref.split('/').at(-1)!]! : one;
    const description =
      parameter['description'] ?? `in the ${parameter['in']}, ${parameter['required'] ? 'required' : 'optional'}`;
    return `<tr><td><code>${escaped(String(parameter['name']))}</code></td><td><code>${shapeOf(parameter['schema'])}</code></td><td>${escaped(String(description))}</td></tr>`;
  });
  const answers = Object.entries(operation['responses']!).filter(([status]) => status !== 'default');
  return `<details><summary><code>${method.toUpperCase()}</code> <code>${escaped(path)}</code> ${escaped(
    String(operation['summary']),
  )}</summary>${operation['description'] ? `<p>${escaped(String(operation['description']))}</p>` : ''}${
    parameters.length > 0 ? `<h3>Parameters</h3><table>${parameters.join('')}</table>` : ''
  }${bodyHtml('Request body', operation['requestBody'])}${answers
    .map(([status, answer]) => bodyHtml(`Answer ${escaped(status)}`, answer))
    .join('')}<p>Anything else is an <a href="#Error">Error</a>.</p></details>`;
}

/** A body or an answer, by media type. */
function bodyHtml(heading: string, body: Tree | undefined): string {
  if (body === undefined) return '';
  const contents = Object.entries((body['content'] ?? {}) as Readonly<Record<string, Tree>>);
  if (contents.length === 0) return `<h3>${heading}</h3><p>Nothing</p>`;
  return contents
    .map(([type, { schema }]) => `<h3>${heading} <code>${escaped(type)}</code></h3><pre>${shapeOf(schema)}</pre>`)
    .join('');
}
