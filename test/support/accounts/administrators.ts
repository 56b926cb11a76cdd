/** Administrators of a running server: created beside it, and signed in with a cookie like a browser. */
import { hashPassword } from '../../../src/content/validation/password-hashing.ts';
import { findRoleByCode, insertAdministrator } from '../../../src/users/administrators/administrator-rows.ts';
import type { Answer, RunningServer } from '../servers/project.ts';

export const PASSWORD = 'Secret123';

/** The hash of `PASSWORD`, made once: it takes as long as a hundred requests. */
let hash: Promise<string> | undefined;

/** Makes an administrator with `PASSWORD` and a role, and gives the row id. */
export async function makeAdministrator(server: RunningServer, name: string, role: string): Promise<number> {
  hash ??= hashPassword(PASSWORD);
  const password = await hash;
  return server.app.database.transaction(async (tx) => {
    const { id } = (await findRoleByCode(tx, role))!;
    return insertAdministrator(tx, { email: `${name}@example.com`, firstname: name, lastname: null, password }, [id]);
  });
}

/** What a role permits, as Strapi's panel stores it. */
export interface GivenPermission {
  /** Behind `plugin::content-manager.explorer.`, or a whole action. */
  readonly operation: 'create' | 'read' | 'update' | 'delete' | 'publish' | `plugin::${string}` | `admin::${string}`;
  readonly subject: string | null;
  readonly properties: { readonly fields?: readonly string[]; readonly locales?: readonly string[] };
  readonly conditions?: readonly string[];
}

/** Makes a role of administrators with these permissions alone. */
export async function makeRole(
  server: RunningServer,
  code: string,
  permissions: readonly GivenPermission[],
): Promise<void> {
  await server.app.database.transaction(async (tx) => {
    const made = `insert into admin_roles (name, code) values ('${code}', '${code}') returning id`;
    const [[role]] = (await tx.rows(made, [])) as [[number]];
    for (const { operation, subject, properties, conditions = [] } of permissions) {
      const action = operation.includes('::') ? operation : `plugin::content-manager.explorer.${operation}`;
      const text = `insert into admin_permissions (action, subject, properties, conditions)
        values ('${action}', ${subject === null ? 'null' : `'${subject}'`}, '${JSON.stringify(properties)}',
          '${JSON.stringify(conditions)}') returning id`;
      const [[permission]] = (await tx.rows(text, [])) as [[number]];
      const link = `insert into admin_permissions_role_lnk (permission_id, role_id) values (${permission}, ${role})`;
      await tx.rows(link, []);
    }
  });
}

/** What a browser sends to the administration's API, with the cookie that it has. */
export class Browser {
  readonly #server: RunningServer;
  /** `name=value`; undefined: none. */
  cookie: string | undefined;

  constructor(server: RunningServer, cookie?: string) {
    this.#server = server;
    this.cookie = cookie;
  }

  async send(method: string, target: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const { path } = this.#server.app.config.admin;
    const answer = await this.#server.request(method, `${path}/api/${target}`, {
      headers: {
        origin: new URL(this.#server.url).origin,
        'sec-fetch-site': 'same-origin',
        ...(this.cookie === undefined ? {} : { cookie: `theme=dark; ${this.cookie}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const set = answer.headers.get('set-cookie')?.split(';')[0];
    if (set !== undefined) this.cookie = set.endsWith('=') ? undefined : set;
    return answer;
  }

  get(target: string, headers?: Record<string, string>): Promise<Answer> {
    return this.send('GET', target, undefined, headers);
  }

  signIn(name: string, more: object = {}): Promise<Answer> {
    return this.send('POST', 'session', { email: `${name}@example.com`, password: PASSWORD, ...more });
  }
}
