/** Services of the plugin `upload` in code: docs/reference/project-code.md, "strapi". */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject, type ProjectFiles, type ProjectFolder } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const FILE =
  "const file = (name, type = 'image/png') => ({ filepath: path.join(strapi.dirs.app.root, 'data', name), originalFilename: name, mimetype: type }); const up = strapi.plugin('upload').service('upload'); const images = strapi.plugin('upload').service('image-manipulation');";

/** Bodies of functions that are given `strapi`, `fs` and `path`, by the name of the path that calls them. */
const ACTIONS: Readonly<Record<string, string>> = {
  stores: `${FILE}
    const [made] = await up.upload({ data: { fileInfo: { name: 'first', alternativeText: 'x' } }, files: file('wide.png') });
    const many = await Promise.all(['wide.png', 'wide.png', 'note.txt'].map((name) => up.upload({ data: {}, files: [file(name, name.endsWith('txt') ? 'text/plain' : 'image/png')] })));
    const replaced = await up.replace(made.id, { data: { fileInfo: { caption: 'new' } }, file: file('small.png') });
    const refused = await up.replace([made.id], { data: {}, file: file('small.png') }).catch(({ name }) => name);
    const removed = await up.remove(made);
    return { refused, name: made.name, width: made.width, many: many.flat().length, replaced: [replaced.id === made.id, replaced.width, replaced.caption, replaced.url === made.url], removed: removed.id === made.id, again: await up.remove(made), none: await up.findOne(made.id) };`,
  formats: `${FILE}
    const info = await up.formatFileInfo({ filename: 'My Pic.PNG', type: 'image/png', size: 2048 }, { alternativeText: 'alt' }, { ref: 'api::note.note', refId: 7, field: 'photo' });
    const { hash, ...rest } = info;
    const { ext } = await up.formatFileInfo({ filename: 'none', type: 'text/plain', size: 10 });
    const folder = await strapi.plugin('upload').service('api-upload-folder').getAPIUploadFolder();
    return { hash, rest, ext, settings: await up.getSettings(), folder: folder.name, path: (await strapi.plugin('upload').service('file').getFolderPath(folder.id)) === folder.path, root: await strapi.plugin('upload').service('file').getFolderPath() };`,
  images: `${FILE}
    const one = (name) => ({ name, hash: 'hash_' + name, ext: path.extname(name), mime: 'image/png', filepath: file(name).filepath });
    const streamed = { name: 'wide.png', hash: 'h', ext: '.png', mime: 'image/png', getStream: () => fs.createReadStream(file('wide.png').filepath) };
    const told = {};
    for (const name of ['wide.png', 'small.png', 'cut.png', 'note.txt', 'drawing.svg']) told[name] = [await images.isImage(one(name)), await images.isFaultyImage(one(name)), await images.isOptimizableImage(one(name)), await images.isResizableImage(one(name))];
    const size = await images.getDimensions(streamed);
    const tmpWorkingDirectory = fs.mkdtempSync(path.join(require('node:os').tmpdir(), 'own-'));
    const thumbnail = await images.generateThumbnail({ ...streamed, ...size, tmpWorkingDirectory });
    const formats = await images.generateResponsiveFormats({ ...streamed, tmpWorkingDirectory });
    const optimized = await images.optimize({ ...one('noisy.jpg'), ext: '.jpg', mime: 'image/jpeg', tmpWorkingDirectory });
    const plain = await images.optimize(one('note.txt'));
    const lies = [thumbnail, ...formats.map(({ file }) => file), optimized].every(({ filepath }) => path.dirname(filepath) === tmpWorkingDirectory && fs.existsSync(filepath));
    const bytes = fs.statSync(thumbnail.filepath).size === thumbnail.sizeInBytes;
    fs.rmSync(tmpWorkingDirectory, { recursive: true });
    let refused; try { await images.getDimensions(one('note.txt')); } catch (error) { refused = error.message; }
    return { told, size, thumbnail: [thumbnail.name, thumbnail.hash, thumbnail.width, thumbnail.height], small: await images.generateThumbnail({ ...one('small.png') }), formats: formats.map(({ key, file }) => [key, file.name, file.width]), optimized: [optimized.name, optimized.sizeInBytes < fs.statSync(file('noisy.jpg').filepath).size], plain: plain.filepath === file('note.txt').filepath, lies, bytes, refused, name: images.generateFileName('Über uns') };`,
  linked: `${FILE}
    const made = (await up.upload({ data: {}, files: [file('small.png'), file('wide.png')] })).sort((a, b) => a.width - b.width);
    const [cover, wide] = made;
    const told = await up.updateFileInfo(cover.id, { caption: 'told' });
    const data = { text: 'linked', cover, pictures: made, gallery: { pictures: [wide, told] } };
    const populate = { cover: true, pictures: true, gallery: { populate: '*' } };
    const notes = [await strapi.documents('api::note.note').create({ data, populate }), await strapi.entityService.create('api::note.note', { data, populate }), await strapi.db.query('api::note.note').create({ data, populate: { cover: true, pictures: true, gallery: { populate: { pictures: true } } } })];
    // what is populated may be written back
    notes.push(await strapi.documents('api::note.note').update({ documentId: notes[0].documentId, data: { ...notes[0], text: 'again' }, populate }));
    const widths = (files) => files.map(({ width }) => width);
    return { signed: [...made, told].some((one) => 'isUrlSigned' in one), notes: notes.map((one) => [one.cover.width, widths(one.pictures), widths(one.gallery.pictures)]) };`,
  settings: `const get = (key) => strapi.config.get(key);
    return { upload: get('plugin::upload').provider, limit: typeof get('plugin.upload.sizeLimit'), secret: typeof get('plugin::users-permissions.jwtSecret'), management: get('plugin::users-permissions.jwtManagement'), max: get('plugin::users-permissions.ratelimit.max'), prefix: get('api.rest.prefix'), limitOf: get('api.rest.defaultLimit'), url: get('server.absoluteUrl'), none: get('plugin::nope') ?? null };`,
};

const PROJECT: ProjectFiles = {
  contentTypes: {
    note: contentType('note', {
      text: { type: 'string' },
      cover: { type: 'media' },
      pictures: { type: 'media', multiple: true },
      gallery: { type: 'component', component: 'own.gallery' },
    }),
  },
  components: {
    'own.gallery': { collectionName: 'galleries', attributes: { pictures: { type: 'media', multiple: true } } },
  },
  files: {
    'config/api.js': 'module.exports = { rest: { defaultLimit: 7 } };',
    'src/api/note/routes/own.js': `module.exports = { routes: ${JSON.stringify(Object.keys(ACTIONS))}.map((name) => ({ method: 'GET', path: '/' + name, handler: 'note.' + name, config: { auth: false } })) };`,
    'src/api/note/controllers/note.js': `const fs = require('node:fs');\nconst path = require('node:path');\nmodule.exports = {\n${Object.entries(
      ACTIONS,
    )
      .map(([name, body]) => `async ${name}() { ${body} }`)
      .join(',\n')}\n};`,
    'src/api/note/controllers/other.js':
      "module.exports = { async raw() { await strapi.plugin('upload').provider.delete({}); }, async stored() { await strapi.plugin('upload').service('provider').upload({}); }, fine: () => ({ fine: true }) };",
    'src/api/note/routes/raw.js':
      "module.exports = { routes: ['raw', 'stored', 'fine'].map((name) => ({ method: 'GET', path: '/other/' + name, handler: 'other.' + name, config: { auth: false } })) };",
  },
};

async function addFiles({ dir }: ProjectFolder): Promise<void> {
  const at = (name: string) => path.join(dir, 'data', name);
  const { mkdir } = await import('node:fs/promises');
  await mkdir(path.join(dir, 'data'), { recursive: true });
  const image = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#246' } });
  await image(800, 400).png().toFile(at('wide.png'));
  await image(20, 10).png().toFile(at('small.png'));
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  await sharp({ create: { width: 300, height: 300, channels: 3, background: '#246', noise } })
    .jpeg({ quality: 100 })
    .toFile(at('noisy.jpg'));
  await writeFile(at('cut.png'), (await readFile(at('wide.png'))).subarray(0, 200));
  await writeFile(at('note.txt'), 'a note');
  await writeFile(at('drawing.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
}

for (const engine of engines) {
  describe(`services of uploads for code on ${engine.name}`, () => {
    let server: SeededServer;
    let folder: ProjectFolder;
    const get = (name: string) => server.request('GET', `/api/${name}`);

    before(async () => {
      folder = await makeProject(PROJECT);
      await addFiles(folder);
      server = await serveSeeded(engine, folder);
    });
    after(() => server?.stop());

    it('store copies of files, several at once, and replace and remove stored ones', async () => {
      const { status, body } = await get('stores');
      deepStrictEqual(
        [status, body],
        [
          200,
          {
            ...{ refused: 'NotFoundError', name: 'first', width: 800, many: 3, replaced: [true, 20, 'new', true] },
            ...{ removed: true, again: null, none: null },
          },
        ],
      );
      const left = await readdir(path.join(folder.dir, 'data'));
      deepStrictEqual(left.sort(), ['cut.png', 'drawing.svg', 'noisy.jpg', 'note.txt', 'small.png', 'wide.png']);
    });

    it('give files that documents, entities and rows take as they are', async () => {
      const { status, body } = await get('linked');
      const note = [20, [20, 800], [800, 20]];
      deepStrictEqual([status, body], [200, { signed: false, notes: [note, note, note, note] }]);
    });

    it('return the values of a record for a file, and the folder for files', async () => {
      const { body } = await get('formats');
      match(body.hash, /^My_Pic_[0-9a-f]{10}$/);
      deepStrictEqual(body.rest, {
        ...{ name: 'My Pic.PNG', alternativeText: 'alt', folderPath: '/', ext: '.PNG', mime: 'image/png' },
        ...{ size: 2.05, sizeInBytes: 2048 },
        related: [{ id: 7, __type: 'api::note.note', __pivot: { field: 'photo' } }],
      });
      deepStrictEqual([body.ext, body.folder, body.path, body.root], ['.txt', 'API Uploads', true, '/']);
      deepStrictEqual(body.settings, {
        ...{ sizeOptimization: true, responsiveDimensions: true },
        ...{ autoOrientation: false, aiMetadata: true },
      });
    });

    it('recognize images, and create copies of them', async () => {
      const { status, body } = await get('images');
      strictEqual(status, 200);
      deepStrictEqual(body.told, {
        'wide.png': [true, false, true, true],
        'small.png': [true, false, true, true],
        'cut.png': [true, true, true, true],
        'note.txt': [false, true, false, false],
        'drawing.svg': [true, false, false, false],
      });
      deepStrictEqual(body.size, { width: 800, height: 400 });
      deepStrictEqual(body.thumbnail, ['thumbnail_wide.png', 'thumbnail_h', 245, 123]);
      deepStrictEqual(body.formats.sort(), [
        ['medium', 'medium_wide.png', 750],
        ['small', 'small_wide.png', 500],
      ]);
      deepStrictEqual([body.small, body.optimized, body.plain], [null, ['noisy.jpg', true], true]);
      deepStrictEqual(
        [body.lies, body.bytes, body.refused],
        [true, true, 'The image cannot be decoded: it is damaged or incomplete'],
      );
      match(body.name, /^Ueber_uns_[0-9a-f]{10}$/);
    });

    it('refuse requests that read the store itself, and no others', async () => {
      const statuses = await Promise.all(
        ['raw', 'stored', 'fine'].map(async (name) => (await get(`other/${name}`)).status),
      );
      deepStrictEqual(statuses, [500, 500, 200]);
    });

    it('return default settings before any are stored', async () => {
      const { body } = await get('settings');
      match(body.url, /^http:\/\//);
      deepStrictEqual(
        { ...body, url: '' },
        {
          ...{ upload: 'local', limit: 'number', secret: 'string', management: 'legacy-support', max: 10 },
          ...{ prefix: '/api', limitOf: 7, url: '', none: null },
        },
      );
    });
  });
}
