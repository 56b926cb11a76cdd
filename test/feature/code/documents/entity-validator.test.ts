/** `strapi.entityValidator`: docs/reference/project-code.md. */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../../support/databases/databases.ts';
import { type ServedActions, serveActions } from '../../../support/servers/actions.ts';
import { contentType, type ProjectFiles } from '../../../support/servers/project.ts';

const PROJECT: ProjectFiles = {
  contentTypes: {
    check: contentType('check', {
      title: { type: 'string', required: true, minLength: 3, unique: true },
      n: { type: 'integer', default: 7 },
      kind: { type: 'enumeration', enum: ['a', 'b'] },
      secret: { type: 'password' },
      item: { type: 'relation', relation: 'oneToOne', target: 'api::item.item' },
      seo: { type: 'component', component: 'shared.seo' },
      parts: { type: 'component', component: 'shared.seo', repeatable: true },
      zone: { type: 'dynamiczone', components: ['shared.seo'] },
      meta: { type: 'json' },
    }),
    item: contentType('item', { name: { type: 'string' } }),
  },
  components: {
    'shared.seo': {
      collectionName: 'components_shared_seos',
      info: { displayName: 'seo' },
      attributes: { metaTitle: { type: 'string' } },
    },
  },
};

const ACTIONS = {
  all: `const item = await strapi.documents('api::item.item').create({ data: { name: 'x' } });
    const checks = strapi.documents('api::check.check');
    const taken = await checks.create({ data: { title: 'taken one' } });
    const validator = strapi.entityValidator;
    const model = strapi.contentTypes['api::check.check'];
    const outcome = (work) => work.then(({ publishedAt, ...data }) => [publishedAt instanceof Date, JSON.stringify(data).replace('"item":' + item.id, '"item":1')], ({ name, details }) => [name, ...(details?.errors ?? []).map(({ path, message }) => path.join('.') + ' ' + message)].slice(0, 3));
    const found = {};
    const given = {
      right: [{ title: 'long enough', n: 3, secret: 'Abc' }], missing: [{ n: 3 }], draft: [{ n: 3 }, { isDraft: true }],
      unknown: [{ title: 'long enough', nope: 1, createdAt: 'x', id: 4 }], linked: [{ title: 'long enough', item: item.id }], unlinked: [{ title: 'long enough', item: 999 }],
      component: [{ title: 'long enough', seo: { metaTitle: 5 } }], nothing: [undefined], unique: [{ title: 'taken one' }], choice: [{ title: 'long enough', kind: 'c' }],
    };
    for (const [name, [data, options]] of Object.entries(given)) {
      found[name] = [await outcome(validator.validateEntityCreation(model, data, options)), await outcome(validator.validateEntityUpdate(model, data, options, {}))];
    }
    found.own = await outcome(validator.validateEntityUpdate(model, { title: 'taken one' }, {}, taken));
    found.uid = await outcome(validator.validateEntityCreation('api::check.check', {}));
    found.count = await checks.count();
    return found;`,
  inputs: `const none = undefined;
    const given = {
      unknown: { nope: none }, beside: { title: 'x', nope: none }, id: { id: none }, documentId: { documentId: none }, time: { createdAt: none }, maker: { createdBy: none }, versions: { localizations: none },
      entry: { seo: { nope: none } }, listed: { parts: [{ nope: none }] }, zoned: { zone: [{ __component: 'shared.seo', nope: none }] }, link: { item: { nope: none } },
      known: { title: none }, secret: { secret: none }, unlinked: { item: none }, locale: { locale: none }, json: { meta: { nope: none } },
    };
    const found = {};
    for (const [name, data] of Object.entries(given)) {
      found[name] = await strapi.contentAPI.validate.input(data, strapi.getModel('api::check.check'), { auth: ctx.state.auth }).then(() => 'right', ({ message }) => message);
    }
    return found;`,
};

for (const engine of engines) {
  describe(`strapi.entityValidator on ${engine.name}`, () => {
    let served: ServedActions;

    before(async () => {
      served = await serveActions(engine, PROJECT, ACTIONS);
    });
    after(() => served?.server.stop());

    it('accepts and refuses the same data as Strapi, and writes nothing', async () => {
      const both = (...refusal: string[]) => [refusal, refusal].map((one) => ['ValidationError', ...one]);
      const data = (made: object, changed: object) => [
        [true, JSON.stringify(made)],
        [false, JSON.stringify(changed)],
      ];
      const title = 'long enough';
      deepStrictEqual(await served.run('all'), {
        right: data({ n: 3, title, secret: 'Abc' }, { title, n: 3, secret: 'Abc' }),
        missing: [
          ['ValidationError', 'title title must be defined.'],
          [false, '{"n":3}'],
        ],
        draft: data({ n: 3 }, { n: 3 }),
        unknown: data({ n: 7, title, nope: 1, createdAt: 'x', id: 4 }, { title, nope: 1, createdAt: 'x', id: 4 }),
        linked: data({ n: 7, title, item: 1 }, { title, item: 1 }),
        unlinked: both(' 1 relation(s) of type api::item.item associated with this entity do not exist'),
        component: both('seo.metaTitle seo.metaTitle must be a `string` type, but the final value was: `5`.'),
        nothing: both(),
        unique: both('title This attribute must be unique'),
        choice: both('kind kind must be one of the following values: a, b'),
        own: [false, '{"title":"taken one"}'],
        uid: ['Error'],
        count: 1,
      });
    });

    it('refuses unknown keys without a value, as Strapi does', async () => {
      const at = (place: string) => `Invalid key nope at ${place}`;
      deepStrictEqual(await served.run('inputs'), {
        ...{ unknown: 'Invalid key nope', beside: 'Invalid key nope', id: 'Invalid key id' },
        ...{ documentId: 'Invalid key documentId', time: 'Invalid key createdAt', maker: 'Invalid key createdBy' },
        versions: 'Invalid key localizations',
        ...{ entry: at('seo'), listed: at('parts'), zoned: at('zone'), link: at('item') },
        ...{ known: 'right', secret: 'right', unlinked: 'right', locale: 'right', json: 'right' },
      });
    });
  });
}
