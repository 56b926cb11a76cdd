/** Uploads that are refused: each with a clear error, and nothing left behind. */
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../support/databases/databases.ts';
import { note, rawForm, rawHead, type Sent, sample, sendRaw, traces, upload } from '../../support/media/uploads.ts';
import { CONFORMANCE_DIR, copyProject } from '../../support/servers/project.ts';
import { type SeededServer, serveScenarioProject, serveSeeded } from '../../support/servers/seeded.ts';
import { until } from '../../support/wait.ts';

const LIMITED = {
  'config/plugins.js': `module.exports = {
    upload: {
      config: {
        sizeLimit: 100000,
        security: { deniedTypes: ['application/x-sh', 'text/html'], allowedTypes: ['text/*', 'image/*', 'application/json'] },
      },
    },
  };`,
  'config/middlewares.js': `module.exports = [
    { name: 'strapi::body', config: { formidable: { maxFiles: 3, maxFields: 5, maxFieldsSize: 1000 } } },
  ];`,
};

for (const engine of engines) {
  describe(`refused uploads on ${engine.name}`, () => {
    let server: SeededServer;
    let token: string;
    before(async () => {
      server = await serveScenarioProject(engine);
      token = server.secrets['full']!;
      // the folder of uploads is there from now on
      strictEqual((await upload(server, token, [note('first.txt')])).status, 201);
    });
    after(() => server?.stop());

    /** Runs `work` and makes sure that it leaves nothing. */
    async function leavesNothing(work: () => Promise<void>): Promise<void> {
      const before = await until('nothing is under way', async () => {
        const now = await traces(server);
        return now.files.every((name) => !name.startsWith('.incoming')) && now;
      });
      await work();
      await until('nothing is left', async () => JSON.stringify(await traces(server)) === JSON.stringify(before));
    }

    const refused = (files: readonly Sent[], fields: Record<string, unknown> = {}) =>
      leavesNothing(async () => {
        const { status, body } = await upload(server, token, files, fields);
        strictEqual(status, 400, JSON.stringify(body));
        match(body.error.name, /^(ValidationError|ApplicationError)$/);
        ok(body.error.message.length > 0);
      });

    it('files without bytes are refused, alone and among others', async () => {
      await refused([note('empty.txt', '')]);
      await refused([note(), note('empty.txt', '')]);
    });

    it('names that no file can have are refused', async () => {
      const names = [
        '../up.txt',
        'a/b.txt',
        '..',
        '.',
        'a\\..',
        'C:\\folder\\',
        'a?.txt',
        'CON',
        'nul',
        'a|b',
        'a<b>.txt',
        'a\u0007.txt',
      ];
      for (const name of [...names, `${'n'.repeat(300)}.txt`]) await refused([note(name)]);
    });

    it('a false raster image is refused', async () => {
      await refused([note('fake.png')]);
      await refused([{ name: 'page.jpg', content: '<html><script>alert(1)</script></html>', type: 'image/jpeg' }]);
      await refused([
        { ...sample('landscape.jpg', 'cut.jpg'), content: sample('landscape.jpg').content.slice(0, 5000) },
      ]);
      await refused([{ name: 'untyped', content: 'no image', type: 'image/png' }]);
    });

    it('one file that is refused refuses those beside it', async () => {
      await refused([note('good.txt'), note('fake.png')]);
      await refused([sample('landscape.jpg'), note('a:b.txt')]);
      await refused([sample('landscape.jpg'), note()], { fileInfo: [{ caption: 'a' }, { focalPoint: { x: 1 } }] });
    });

    it('texts that no column takes are refused with their path', async () => {
      for (const [info, path] of [
        [{ name: 'n'.repeat(256) }, ['fileInfo', 'name']],
        [{ caption: 'a\0b' }, ['fileInfo', 'caption']],
        [{ alternativeText: ['a'] }, ['fileInfo', 'alternativeText']],
        [{ focalPoint: { x: 'left', y: 1 } }, ['fileInfo', 'focalPoint', 'x']],
        [{ focalPoint: 5 }, ['fileInfo', 'focalPoint']],
      ] as const) {
        await leavesNothing(async () => {
          const { status, body } = await upload(server, token, [note()], { fileInfo: info });
          strictEqual(status, 400);
          deepStrictEqual(body.error.details.errors[0].path, path);
        });
      }
      for (const fileInfo of ['{"name":', 'null', '5', '', '[]']) await refused([note()], { fileInfo });
      await refused([note(), note()], { fileInfo: ['{}', '[]'] });
      await refused([note(), note()], { fileInfo: ['{}', 'x'] });
    });

    it('folders that no key or column takes are refused with their path', async () => {
      for (const path of [
        `${'a'.repeat(254)}😀`,
        'a'.repeat(256),
        '日'.repeat(171),
        `xyz/${'日'.repeat(170)}`,
        'a\0b',
      ]) {
        await leavesNothing(async () => {
          const { status, body } = await upload(server, token, [sample('landscape.jpg')], { path });
          deepStrictEqual([status, body.error.details?.errors[0].path], [400, ['path']], JSON.stringify(path));
        });
      }
      for (const path of [`${'a'.repeat(253)}😀`, '日'.repeat(170), '/../a/./b//']) {
        strictEqual((await upload(server, token, [sample('landscape.jpg')], { path })).status, 201, path);
      }
    });

    it('an invalid declared type is ignored', async () => {
      const types = ['*/*', 'unknown/unknown', 'Application/Unknown', 'junk', 'a/b/c', 'a/', 'text/htm\u00e9'];
      for (const type of [...types, `a/${'b'.repeat(126)}`, `a/${'b'.repeat(300)}`, 'text /html']) {
        const form = rawForm('xx', '<html><script>alert(1)</script></html>', 'page').toString();
        const body = Buffer.from(form.replace('text/plain', () => type));
        const headers = { 'content-type': 'multipart/form-data; boundary=xx', 'content-length': body.length };
        const answer = await sendRaw(server, [rawHead(token, headers), body]);
        match(answer, /^HTTP\/1.1 201 /, type);
        match(answer, /"mime" ?: ?"application\/octet-stream"/, type);
      }
      const [kept] = (await upload(server, token, [{ name: 'page', content: 'x', type: 'application/x.of-mine+y' }]))
        .body;
      strictEqual(kept.mime, 'application/x.of-mine+y');
    });

    it('callers without a token or permission are refused before a byte is stored', async () => {
      await leavesNothing(async () => {
        strictEqual((await upload(server, undefined, [note()])).status, 403);
        strictEqual((await upload(server, 'nobody', [note()])).status, 401);
        strictEqual((await upload(server, server.secrets['read'], [note()])).status, 403);
        strictEqual((await server.request('DELETE', '/api/upload/files/1', {})).status, 403);
      });
    });

    it('a large upload that is refused gets its answer', async () => {
      await leavesNothing(async () => {
        const big = note('big.bin', 'x'.repeat(5_000_000));
        strictEqual((await upload(server, 'nobody', [big])).status, 401);
        const { status, body } = await upload(server, token, [big], {}, '?id=1&id=2');
        deepStrictEqual([status, body.error.message], [400, 'File id is required and must be a single value']);
      });
    });

    it('a form that is cut off is refused', async () => {
      const boundary = 'xx';
      const form = rawForm(boundary, 'y'.repeat(50_000));
      const type = { 'content-type': `multipart/form-data; boundary=${boundary}` };
      await leavesNothing(async () => {
        // the length tells less than is sent: the form ends in the middle
        const short = await sendRaw(server, [rawHead(token, { ...type, 'content-length': 20_000 }), form]);
        match(short, /^HTTP\/1.1 400 /);
        match(short, /ValidationError/);
      });
      await leavesNothing(async () => {
        // more than is sent: the client ends first
        const long = await sendRaw(server, [rawHead(token, { ...type, 'content-length': 90_000 }), form], 'end');
        ok(!long.includes('201'));
      });
      for (const then of ['end', 'cut'] as const) {
        await leavesNothing(async () => {
          const head = rawHead(token, { ...type, 'content-length': form.length });
          await sendRaw(server, [head, form.subarray(0, 30_000)], then);
        });
      }
      await leavesNothing(async () => {
        const head = rawHead(token, { ...type, 'transfer-encoding': 'chunked' });
        await sendRaw(server, [head, 'ffff\r\n', form.subarray(0, 1000)], 'cut');
      });
    });

    it('bodies that are no form are refused', async () => {
      const bodies: [string, string | Buffer][] = [
        ['multipart/form-data', rawForm('xx', 'a')],
        ['multipart/form-data; boundary=yy', rawForm('xx', 'a')],
        ['multipart/form-data; boundary=xx', ''],
        ['multipart/form-data; boundary=xx', 'nothing of a form'],
        ['multipart/form-data; boundary=xx', '--xx'],
        ['multipart/form-data; boundary=xx', '--xx--'],
        ['multipart/form-data; boundary=xx', `--xx\r\n${'a: b\r\n'.repeat(10_000)}\r\n\r\na\r\n--xx--`],
        ['multipart/form-data; boundary=xx', '--xx\r\nContent-Disposition: attachment\r\n\r\na\r\n--xx--\r\n'],
        [`multipart/form-data; boundary=${'b'.repeat(5000)}`, 'a'],
        ['multipart/mixed; boundary=xx', rawForm('xx', 'a')],
        ['application/octet-stream', 'abc'],
      ];
      for (const [type, content] of bodies) {
        await leavesNothing(async () => {
          const head = rawHead(token, { 'content-type': type, 'content-length': Buffer.byteLength(content) });
          const answer = await sendRaw(server, [head, content]);
          match(answer, /^HTTP\/1.1 400 /, `${type}: ${String(content).slice(0, 40)}`);
        });
      }
    });

    it('a connection that ends while its file is written leaves the server as it was', async () => {
      await leavesNothing(async () => {
        const { port } = new URL(server.url);
        for (let n = 0; n < 5; n++) {
          await new Promise<void>((resolve) => {
            const sending = request({
              port,
              method: 'POST',
              path: '/api/upload',
              headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=xx' },
            });
            sending.on('error', () => resolve());
            sending.write(rawForm('xx', 'z'.repeat(300_000)).subarray(0, -10), () => sending.destroy());
          });
        }
      });
      strictEqual((await upload(server, token, [note()])).status, 201);
    });

    it('references to nothing are refused with the path of the field', async () => {
      const cases: [Record<string, string>, string][] = [
        [{ ref: 'api::none.none', refId: '1', field: 'cover' }, 'ref'],
        [{ ref: '__proto__', refId: '1', field: 'cover' }, 'ref'],
        [{ ref: 'api::article.article', refId: '1', field: 'none' }, 'field'],
        [{ ref: 'api::article.article', refId: '1', field: 'title' }, 'field'],
        [{ ref: 'api::article.article', refId: '1', field: '__proto__' }, 'field'],
        [{ ref: 'api::article.article', refId: '987654', field: 'cover' }, 'refId'],
        [{ ref: 'api::article.article', refId: '99999999999', field: 'cover' }, 'refId'],
        [{ ref: 'api::article.article', refId: 'nosuchdocument', field: 'cover' }, 'refId'],
        [{ ref: 'api::article.article', refId: "1' or '1'='1", field: 'cover' }, 'refId'],
        [{ ref: 'shared.seo', refId: 'nosuchdocument', field: 'image' }, 'refId'],
      ];
      for (const [fields, at] of cases) {
        await leavesNothing(async () => {
          const { status, body } = await upload(server, token, [note()], fields);
          strictEqual(status, 400, JSON.stringify(fields));
          deepStrictEqual(body.error.details.errors[0].path, [at]);
        });
      }
    });
  });
}

describe('limits of uploads', () => {
  let server: SeededServer;
  let token: string;
  before(async () => {
    const folder = await copyProject(CONFORMANCE_DIR);
    const { mkdir, writeFile } = await import('node:fs/promises');
    await mkdir(`${folder.dir}/config`, { recursive: true });
    for (const [name, text] of Object.entries(LIMITED)) await writeFile(`${folder.dir}/${name}`, text);
    server = await serveSeeded(engines[0]!, folder);
    token = server.secrets['full']!;
  });
  after(() => server?.stop());

  const answers = async (files: readonly Sent[], fields: Record<string, unknown>, status: number, message: RegExp) => {
    const before = await traces(server);
    const answer = await upload(server, token, files, fields);
    strictEqual(answer.status, status, answer.text);
    match(answer.body.error.message, message);
    deepStrictEqual(await traces(server), before);
  };

  it('a file may have as many bytes as the project allows, and not one more', async () => {
    strictEqual((await upload(server, token, [note('full.txt', 'x'.repeat(100_000))])).status, 201);
    await answers([note('over.txt', 'x'.repeat(100_001))], {}, 413, /over\.txt.*100000 bytes/);
    await answers([note(), note('over.txt', 'x'.repeat(3_000_000))], {}, 413, /100000 bytes/);
  });

  it('a form may have as many files and fields as the project allows', async () => {
    strictEqual((await upload(server, token, [note(), note(), note()])).status, 201);
    await answers([note(), note(), note(), note()], {}, 413, /at most 3 files/);
    await answers([note()], { a: ['1', '2', '3', '4', '5', '6'] }, 413, /at most 5 fields/);
    await answers([note()], { fileInfo: { caption: 'c'.repeat(2000) } }, 413, /1000 bytes/);
    await answers([note()], { a: 'x'.repeat(600), b: 'x'.repeat(600) }, 413, /1000 bytes/);
  });

  it('types that the project does not allow are refused by name, by declaration and by content', async () => {
    await answers([{ name: 'run.sh', content: 'echo', type: 'text/plain' }], {}, 400, /not allowed/);
    await answers([{ name: 'a.txt', content: 'echo', type: 'application/x-sh' }], {}, 400, /x-sh.*not allowed/);
    await answers([{ name: 'a.html', content: 'x', type: 'text/plain' }], {}, 400, /text\/html.*not allowed/);
    await answers([{ name: 'a.txt', content: '%PDF-1.4\n', type: 'text/plain' }], {}, 400, /pdf.*not allowed/);
    strictEqual((await upload(server, token, [sample('small.webp')])).status, 201);
    strictEqual((await upload(server, token, [note('a.json', '{}')])).status, 201);
  });
});
