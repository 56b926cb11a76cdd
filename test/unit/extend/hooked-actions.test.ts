/** Which core actions reading a project's code shows its document middlewares to act in; where in doubt, all. */
import { strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfig } from '../../../src/config/load.ts';
import { checkProject } from '../../../src/extend/checked-project.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';

const text = { text: { type: 'string' } };
const contentTypes = { note: contentType('note', text), secret: contentType('secret', text) };
const use = (body: string) => `strapi.documents.use(async (context, next) => { ${body} })`;
const MIDDLEWARE = '(context, next) => null';

/** Whether notes are found through the middleware: yes, no, or, in doubt, undefined. */
const FORMS: readonly [code: string, found: boolean | undefined][] = [
  [use("if (context.uid !== 'api::secret.secret') return next(); throw new Error();"), false],
  [use("const { uid } = context; if (uid === 'api::secret.secret') { return null; } return next();"), false],
  [use("const r = await next(); if (context.uid !== 'api::secret.secret') return r; return null;"), false],
  [use("if (context.action === 'create') context.params.data.text = 'a'; return next();"), false],
  [use("if (context.uid === 'api::secret.secret') return null; context.params.filters = {}; return next();"), true],
  [use("const r = await next(); if (context.uid === 'api::secret.secret') return null; r.x = 1; return r;"), true],
  [use("if (context.uid !== 'api::secret.secret') return next({});"), true],
  [use("if (context.uid !== 'api::secret.secret') return null; return next();"), true],
  [use("if (context.uid === 'api::note.note') return; return next();"), true],
  [use("if (context.uid !== 'api::secret.secret') await next(); return [];"), true],
  [use('const r = await next(); return r && r.slice;'), true],
  [use('await next();'), true],
  [use("if (context.uid !== ['api', 'secret.secret'].join('::')) return next();"), true],
  [`strapi.documents.use(${MIDDLEWARE})`, true],
  [`strapi['documents'].use(${MIDDLEWARE})`, true],
  [`const { documents } = strapi; documents.use(${MIDDLEWARE})`, undefined],
  [`const one = strapi.documents; one.use(${MIDDLEWARE})`, undefined],
  [`strapi['docu' + 'ments'].use(${MIDDLEWARE})`, undefined],
  [`Reflect.apply(strapi.documents.use, strapi.documents, [${MIDDLEWARE}])`, undefined],
];

describe('core actions that document middlewares act in', () => {
  for (const [code, found] of FORMS) {
    it(`are told of ${code}`, async () => {
      const files = { 'src/index.js': `module.exports = { register({ strapi }) { ${code}; } };` };
      const folder = await makeProject({ contentTypes, files });
      try {
        const { read } = await checkProject(await loadConfig(folder.dir, { env: {} }));
        strictEqual(read!.code.runnable!.hooked?.has('api::note.note.find'), found);
      } finally {
        await folder.remove();
      }
    });
  }
});
