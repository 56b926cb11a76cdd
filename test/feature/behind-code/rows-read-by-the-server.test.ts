/**
 * Files, folders, roles and locales that the server reads for administrators and for the content API, with listeners to
 * all types around them as in Strapi: docs/reference/project-code.md, "Lifecycles".
 */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Browser, makeAdministrator } from '../../support/accounts/administrators.ts';
import { engines } from '../../support/databases/databases.ts';
import { note, upload } from '../../support/media/uploads.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const PROJECT = {
  contentTypes: { note: contentType('note', { title: { type: 'string' } }) },
  files: {
    'src/index.js': `module.exports = { bootstrap({ strapi }) {
  strapi.db.lifecycles.subscribe((event) => {
    const { heard, refused, changed, masked } = globalThis.serverReads;
    const moment = event.action + ' ' + event.model.uid.replace(/.*[.]/, '');
    heard.push([moment, event.params.where, event.action.startsWith('after') ? event.result : undefined]);
    if (moment === refused) throw new (require('@strapi/utils').errors.ForbiddenError)('not these');
    if (moment === changed) event.params.where = { id: 1 };
    if (moment === masked) for (const one of [event.result].flat()) one.name = 'masked';
  });
} };`,
  },
};

interface Hears {
  readonly heard: [moment: string, where: unknown, result: unknown][];
  readonly refused?: string;
  readonly changed?: string;
  readonly masked?: string;
}
const shared = globalThis as unknown as { serverReads: Hears };
const hearing = (hears: Partial<Hears> = {}): void => {
  shared.serverReads = { heard: [], ...hears };
};
hearing();

/** The reads of administrators, each with the events of its listeners. */
const READS: readonly (readonly [target: string, moments: readonly string[]])[] = [
  ['files?folder=none', ['FindMany file', 'Count file']],
  ['folders', ['FindMany folder']],
  ['permissions/roles', ['FindMany role', 'Count user', 'Count user']],
  ['permissions/roles/1', ['FindOne role']],
  ['locales', ['FindMany locale']],
];

for (const engine of engines) {
  describe(`rows that the server reads behind listeners to all types on ${engine.name}`, () => {
    let server: SeededServer;
    let sue: Browser;
    let file: number;
    const token = () => server.secrets['full']!;
    const heard = () => shared.serverReads.heard.map(([moment]) => moment);

    before(async () => {
      server = await serveSeeded(engine, await makeProject(PROJECT), {
        tokens: [{ name: 'full', type: 'full-access' }],
        roles: {},
      });
      await makeAdministrator(server, 'sue', 'strapi-super-admin');
      sue = new Browser(server);
      strictEqual((await sue.signIn('sue')).status, 200);
      file = (await upload(server, token(), [note('a.txt')])).body[0].id;
    });
    after(() => server?.stop());
    beforeEach(() => hearing());

    it('are shown to administrators, and announced as in Strapi', async () => {
      for (const [target, moments] of READS) {
        hearing();
        strictEqual((await sue.send('GET', target)).status, 200, target);
        deepStrictEqual(
          heard(),
          moments.flatMap((moment) => [`before${moment}`, `after${moment}`]),
          target,
        );
      }
    });

    it('reach listeners with conditions and rows', async () => {
      strictEqual((await sue.send('GET', `files/${file}`)).status, 200);
      const [[, where], [, , row]] = shared.serverReads.heard as [Hears['heard'][0], Hears['heard'][0]];
      deepStrictEqual([where, (row as { name: string }).name], [{ id: file }, 'a.txt']);
      hearing();
      await sue.send('GET', 'files?folder=none');
      deepStrictEqual(shared.serverReads.heard[0]?.[1], { $and: [{ folder: { id: { $null: true } } }] });
    });

    it('are refused where a listener refuses', async () => {
      for (const [target, moments] of READS) {
        for (const refused of [`before${moments[0]}`, `after${moments.at(-1)}`]) {
          hearing({ refused });
          strictEqual((await sue.send('GET', target)).status, 403, `${refused} of ${target}`);
        }
      }
    });

    it('fail where a listener asks for other rows, or shows other values', async () => {
      hearing({ changed: 'beforeFindMany locale' });
      strictEqual((await sue.send('GET', 'locales')).status, 500);
      hearing({ masked: 'afterFindMany role' });
      strictEqual((await sue.send('GET', 'permissions/roles')).status, 500);
      hearing();
      strictEqual((await sue.send('GET', 'permissions/roles')).status, 200);
    });

    it('are changed only if listeners permit finding them', async () => {
      hearing({ refused: 'beforeFindOne file' });
      strictEqual((await sue.send('PUT', `files/${file}`, { name: 'b.txt' })).status, 403);
      hearing();
      strictEqual((await sue.send('PUT', `files/${file}`, { name: 'b.txt' })).status, 200);
    });

    it('are announced where the content API reads them', async () => {
      for (const [path, moments] of [
        ['users-permissions/roles', ['FindMany role', 'Count user', 'Count user']],
        ['users-permissions/roles/1', ['FindOne role']],
        ['i18n/locales', ['FindMany locale']],
        ['upload/files', ['FindMany file']],
        ['upload/files/page', ['FindMany file', 'Count file']],
      ] as const) {
        hearing();
        strictEqual((await server.get(`/api/${path}`, token())).status, 200, path);
        const own = heard().filter((moment) => !moment.endsWith('api-token'));
        deepStrictEqual(
          own,
          moments.flatMap((moment) => [`before${moment}`, `after${moment}`]),
          path,
        );
        hearing({ refused: `before${moments[0]}` });
        strictEqual((await server.get(`/api/${path}`, token())).status, 403, path);
      }
    });
  });
}
