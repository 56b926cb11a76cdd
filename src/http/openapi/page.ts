/** A page for people to read the description of the API. It asks for nothing else, neither here nor elsewhere. */
import { PARAMETERS } from './operations.ts';
import type { Schema } from './schemas.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
summary { cursor: pointer; padding: .3rem 0; } code, pre { font: .9em ui-monospace, monospace; }
summary code { display: inline-block; min-width: 4.5rem; font-weight: bold; }
pre { overflow: auto; padding: .8rem; border: 1px solid #8886; border-radius: .4rem; }
details { border-bottom: 1px solid #8884; } table { border-collapse: collapse; } td { padding: .1rem 1rem .1rem 0; vertical-align: top; }`;

type Tree = { readonly [key: string]: Tree };

/** The page of a description. */
export function pageOfApi(document: Schema): string {
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
    ([name, schema]) => `<details id="${escaped(name)}"><summary>${escaped(name)}</summary>${json(schema)}</details>`,
  );
  const title = escaped(info.title);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width"><style>${STYLE}</style></head><body><main>
<h1>${title}</h1><p>What you may do without signing in. With a token, ask for <a href="openapi.json"><code>openapi.json</code></a>:
it describes what the token may do.</p>
${groups.join('\n')}<h2>Schemas</h2>${schemas.join('\n')}</main></body></html>\n`;
}

function operationHtml({ path, method, operation }: { path: string; method: string; operation: Tree }): string {
  const parameters = (operation['parameters'] as unknown as Record<string, string>[]).map((one) => {
    const known = one['$ref'] === undefined ? undefined : PARAMETERS[one['$ref'].split('/').at(-1)!];
    const name = String(known?.['name'] ?? one['name']);
    return `<tr><td><code>${escaped(name)}</code></td><td>${escaped(String(known?.['description'] ?? `in the ${one['in']}`))}</td></tr>`;
  });
  const body = operation['requestBody']?.['content'];
  const answers = Object.entries(operation['responses']!).filter(([status]) => status !== 'default');
  return `<details><summary><code>${method.toUpperCase()}</code> <code>${escaped(path)}</code> ${escaped(
    String(operation['summary']),
  )}</summary>${operation['description'] ? `<p>${escaped(String(operation['description']))}</p>` : ''}${parameters.length > 0 ? `<table>${parameters.join('')}</table>` : ''}${
    body === undefined ? '' : `<p>Body</p>${json(body)}`
  }${answers.map(([status, answer]) => `<p>${status}</p>${json(answer['content'] ?? {})}`).join('')}</details>`;
}

const json = (value: unknown): string => `<pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign]!);
