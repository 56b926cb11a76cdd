/**
 * Publication of links that two drafts share: a document publishes its own edits, whoever owns the relation, and what
 * another document's draft has changed waits for that one (docs/differences.md, "Publication and relations").
 */
import { deepStrictEqual } from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Documents, documentsOf } from '../../support/content/documents.ts';
import { engines } from '../../support/databases/databases.ts';
import { contentType, makeProject } from '../../support/servers/project.ts';
import { type SeededServer, serveSeeded } from '../../support/servers/seeded.ts';

const drafts = { options: { draftAndPublish: true } };
const localized = { pluginOptions: { i18n: { localized: true } } };
const name = { type: 'string', ...localized };
const column = { useJoinTable: false };

/** Relations of a product to a plan: the kind, and what the plan's side says. The owner has `inversedBy`. */
const KINDS: Readonly<Record<string, { relation: string; owner: 'product' | 'plan'; column?: true }>> = {
  manyToManyOwned: { relation: 'manyToMany', owner: 'product' },
  manyToManyMapped: { relation: 'manyToMany', owner: 'plan' },
  manyToOneOwned: { relation: 'manyToOne', owner: 'product' },
  oneToManyMapped: { relation: 'oneToMany', owner: 'plan' },
  oneToOneOwned: { relation: 'oneToOne', owner: 'product' },
  oneToOneMapped: { relation: 'oneToOne', owner: 'plan' },
  columnOwned: { relation: 'manyToOne', owner: 'product', column: true },
  columnMapped: { relation: 'oneToMany', owner: 'plan', column: true },
  columnOneOwned: { relation: 'oneToOne', owner: 'product', column: true },
  columnOneMapped: { relation: 'oneToOne', owner: 'plan', column: true },
};
/** Of these, the attributes of a product whose links are taken from other products. */
const TAKING = ['oneToManyMapped', 'oneToOneOwned', 'oneToOneMapped', 'columnMapped', 'columnOneOwned'];
const TURNED: Readonly<Record<string, string>> = { manyToOne: 'oneToMany', oneToMany: 'manyToOne' };

function project() {
  const product: Record<string, unknown> = {
    name,
    anyMany: { type: 'relation', relation: 'morphToMany' },
    mappedMany: { type: 'relation', relation: 'morphMany', target: 'api::plan.plan', morphBy: 'anyMany' },
    mappedOne: { type: 'relation', relation: 'morphOne', target: 'api::plan.plan', morphBy: 'anyOne' },
    mappedSelf: { type: 'relation', relation: 'morphMany', target: 'api::product.product', morphBy: 'anyMany' },
  };
  const plan: Record<string, unknown> = {
    name,
    anyMany: { type: 'relation', relation: 'morphToMany' },
    anyOne: { type: 'relation', relation: 'morphToOne' },
    mappedMany: { type: 'relation', relation: 'morphMany', target: 'api::product.product', morphBy: 'anyMany' },
  };
  for (const [kind, { relation, owner, column: isColumn }] of Object.entries(KINDS)) {
    const back = `${kind}Back`;
    const more = isColumn ? column : {};
    const [own, other] = owner === 'product' ? ['inversedBy', 'mappedBy'] : ['mappedBy', 'inversedBy'];
    product[kind] = { type: 'relation', relation, target: 'api::plan.plan', [own]: back, ...more };
    const turned = TURNED[relation] ?? relation;
    plan[back] = { type: 'relation', relation: turned, target: 'api::product.product', [other]: kind, ...more };
  }
  return makeProject({
    contentTypes: {
      product: contentType('product', product, { ...drafts, ...localized }),
      plan: contentType('plan', plan, { ...drafts, ...localized }),
    },
  });
}

/** Attributes of a product that lead to plans, and those of a plan that are the same links seen from there. */
const SIDES: readonly (readonly [string, string | undefined])[] = [
  ...Object.keys(KINDS).map((kind) => [kind, `${kind}Back`] as const),
  ['anyMany', 'mappedMany'],
  ['mappedMany', 'anyMany'],
  ['mappedOne', 'anyOne'],
];

const isMany = (attribute: string) =>
  ['anyMany', 'mappedMany'].includes(attribute) || /Many$/.test(KINDS[attribute]?.relation ?? '');
const isAny = (attribute: string) => attribute === 'anyMany' || attribute === 'anyOne';

for (const engine of engines) {
  describe(`publication of links between drafts on ${engine.name}`, () => {
    let server: SeededServer;
    let api: Documents;
    before(async () => {
      server = await serveSeeded(engine, await project());
      api = documentsOf(server);
    });
    after(() => server?.stop());

    const namesOf = async (plural: string, id: string, attribute: string, query: string): Promise<string[]> =>
      [await api.names(plural, id, attribute, query)].flat().filter((one) => one !== null);
    const link = (attribute: string, type: string, ...ids: string[]) => ({
      [attribute]: ids.map((documentId) =>
        isAny(attribute) ? { __type: `api::${type}.${type}`, documentId } : { documentId },
      ),
    });

    for (const locale of ['en', 'fr']) {
      for (const [attribute, back] of SIDES) {
        const version = `locale=${locale}`;
        const draft = `${version}&status=draft`;
        const make = async (type: string, called: string, query = version): Promise<string> =>
          (await api.create(`${type}s`, { name: called }, query)).documentId;
        const what = `${attribute} in ${locale}`;

        for (const author of ['Galley', 'the reference']) {
          for (const order of ['before', 'after']) {
            it(`a draft that ${author} wrote publishes its links to documents changed ${order} it: ${what}`, async () => {
              const [l, m] = [await make('plan', 'L'), await make('plan', 'M')];
              if (order === 'before') await api.update('plans', l, { name: 'L changed' }, draft);
              const plans = isMany(attribute) ? [l, m] : [l];
              const made = await api.create('products', { name: 'P', ...link(attribute, 'plan', ...plans) }, draft);
              if (order === 'after') await api.update('plans', l, { name: 'L changed' }, draft);
              if (author === 'the reference') await server.seeder.sql('delete from galley_draft_links');
              await api.update('products', made.documentId, {}, version);
              const names = isMany(attribute) ? ['L', 'M'] : ['L'];
              deepStrictEqual(await namesOf('products', made.documentId, attribute, version), names);
              await api.update('plans', l, {}, version);
              const later = isMany(attribute) ? ['L changed', 'M'] : ['L changed'];
              deepStrictEqual(await namesOf('products', made.documentId, attribute, version), later);
            });
          }
        }

        it(`documents that are published one after the other show their links, whichever is first: ${what}`, async () => {
          for (const first of ['plans', 'products']) {
            const plan = await make('plan', 'L', draft);
            const made = await api.create('products', { name: 'P', ...link(attribute, 'plan', plan) }, draft);
            const ids: Record<string, string> = { plans: plan, products: made.documentId };
            const second = first === 'plans' ? 'products' : 'plans';
            await api.update(first, ids[first]!, {}, version);
            await api.update(second, ids[second]!, {}, version);
            deepStrictEqual(await namesOf('products', made.documentId, attribute, version), ['L'], first);
          }
        });

        it(`earlier edits of a draft are published with later ones: ${what}`, async () => {
          const plan = await make('plan', 'L');
          const product = await make('product', 'P');
          await api.update('products', product, link(attribute, 'plan', plan), draft);
          await api.update('plans', plan, { name: 'L changed' }, draft);
          await api.update('products', product, { name: 'P changed' }, version);
          deepStrictEqual(await namesOf('products', product, attribute, version), ['L']);
          await api.update('products', product, { [attribute]: [] }, draft);
          await api.update('plans', plan, { name: 'L changed again' }, draft);
          deepStrictEqual(await namesOf('products', product, attribute, version), ['L']);
          await api.update('products', product, {}, version);
          deepStrictEqual(await namesOf('products', product, attribute, version), []);
        });

        if (back === undefined) continue;
        it(`a link added by another document's draft is published with that document: ${what}`, async () => {
          const plan = await make('plan', 'L');
          const product = await make('product', 'P');
          await api.update('plans', plan, link(back, 'product', product), draft);
          await api.update('products', product, { name: 'P changed' }, version);
          deepStrictEqual(await namesOf('plans', plan, back, version), []);
          deepStrictEqual(await namesOf('plans', plan, back, draft), ['P changed']);
          await api.update('plans', plan, {}, version);
          deepStrictEqual(await namesOf('plans', plan, back, version), ['P changed']);
        });

        // the other side of a relation to any type has the links alone that were made there
        if (isAny(attribute)) continue;
        it(`a link removed by another document's draft stays until that document is published: ${what}`, async () => {
          const plan = await make('plan', 'L');
          const made = await api.create('products', { name: 'P', ...link(attribute, 'plan', plan) }, version);
          await api.update('plans', plan, { [back]: [] }, draft);
          await api.update('products', made.documentId, { name: 'P changed' }, version);
          deepStrictEqual(await namesOf('products', made.documentId, attribute, version), ['L']);
          await api.update('plans', plan, {}, version);
          deepStrictEqual(await namesOf('products', made.documentId, attribute, version), []);
        });
      }
    }

    it('a link that a draft takes from another document is taken when that draft is published', async () => {
      for (const attribute of TAKING) {
        const make = async (type: string, called: string) =>
          (await api.create(`${type}s`, { name: called })).documentId;
        const plan = await make('plan', 'L');
        const former = (await api.create('products', { name: 'former', [attribute]: [plan] })).documentId;
        const taker = await make('product', 'taker');
        await api.update('products', taker, { [attribute]: [plan] }, 'status=draft');
        // neither the one that it is taken from nor the plan itself publishes the other document's edit
        await api.update('products', former, { name: 'former changed' });
        await api.update('plans', plan, { name: 'L changed' });
        deepStrictEqual(await namesOf('products', former, attribute, ''), ['L changed'], attribute);
        deepStrictEqual(await namesOf('products', taker, attribute, ''), [], attribute);
        await api.update('products', taker, {});
        deepStrictEqual(await namesOf('products', former, attribute, ''), [], attribute);
        deepStrictEqual(await namesOf('products', taker, attribute, ''), ['L changed'], attribute);
      }
    });

    it('a link that a draft took and removed again disappears when that draft is published, and not before', async () => {
      for (const attribute of TAKING) {
        const plan = (await api.create('plans', { name: 'L' })).documentId;
        const former = (await api.create('products', { name: 'former', [attribute]: [plan] })).documentId;
        const taker = (await api.create('products', { name: 'taker' })).documentId;
        await api.update('products', taker, { [attribute]: { connect: [plan] } }, 'status=draft');
        await api.update('products', taker, { [attribute]: { disconnect: [plan] } }, 'status=draft');
        await api.update('plans', plan, {});
        await api.update('products', former, {});
        deepStrictEqual(await namesOf('products', former, attribute, 'status=draft'), [], attribute);
        deepStrictEqual(await namesOf('products', former, attribute, ''), ['L'], attribute);
        await api.update('products', taker, {});
        deepStrictEqual(await namesOf('products', former, attribute, ''), [], attribute);
        deepStrictEqual(await namesOf('plans', plan, `${attribute}Back`, ''), [], attribute);
      }
    });

    it('a link that was taken, dropped and added again stays, whichever document is published', async () => {
      for (const attribute of TAKING) {
        const plan = (await api.create('plans', { name: 'L' })).documentId;
        const former = (await api.create('products', { name: 'former', [attribute]: [plan] })).documentId;
        const taker = (await api.create('products', { name: 'taker' })).documentId;
        await api.update('products', taker, { [attribute]: [plan] }, 'status=draft');
        await api.update('products', taker, { [attribute]: [] }, 'status=draft');
        await server.request('POST', `/api/products/${former}/actions/discard-draft`, {
          token: server.secrets['full'],
        });
        deepStrictEqual(await namesOf('products', former, attribute, 'status=draft'), ['L'], attribute);
        await api.update('products', taker, {});
        deepStrictEqual(await namesOf('products', former, attribute, ''), ['L'], attribute);
      }
    });

    it('a link that a discarded draft took is restored, unless it or its place has been taken since', async () => {
      const token = server.secrets['full'];
      const discard = async (id: string) => {
        const { status, text } = await server.request('POST', `/api/products/${id}/actions/discard-draft`, { token });
        deepStrictEqual(status, 200, text);
      };
      for (const attribute of TAKING) {
        const many = isMany(attribute);
        const make = async (called: string, ...plans: string[]) =>
          (await api.create('products', { name: called, [attribute]: plans })).documentId as string;
        const plans: string[] = [];
        for (const called of ['K', 'L', 'M']) plans.push((await api.create('plans', { name: called })).documentId);
        const [first, plan, last] = plans as [string, string, string];
        const own = many ? [first, plan, last] : [plan];
        const former = await make('former', ...own);
        const taker = await make('taker');
        await api.update('products', taker, { [attribute]: [plan] }, 'status=draft');
        await discard(taker);
        const names = many ? ['K', 'L', 'M'] : ['L'];
        for (const status of ['draft', 'published'])
          deepStrictEqual(await namesOf('products', former, attribute, `status=${status}`), names, attribute);
        deepStrictEqual(await namesOf('products', taker, attribute, 'status=draft'), [], attribute);
        deepStrictEqual(await namesOf('plans', plan, `${attribute}Back`, 'status=draft'), ['former'], attribute);
        // its next publication keeps it
        await api.update('products', former, { name: 'former' });
        deepStrictEqual(await namesOf('products', former, attribute, ''), names, attribute);

        const other = await make('other');
        await api.update('products', taker, { [attribute]: [plan] }, 'status=draft');
        await api.update('products', other, { [attribute]: [plan] }, 'status=draft');
        await discard(taker);
        deepStrictEqual(await namesOf('products', other, attribute, 'status=draft'), ['L'], attribute);
        deepStrictEqual(await namesOf('plans', plan, `${attribute}Back`, 'status=draft'), ['other'], attribute);
        await discard(other);
        deepStrictEqual(await namesOf('products', former, attribute, 'status=draft'), names, attribute);
        deepStrictEqual(await namesOf('products', taker, attribute, 'status=draft'), [], attribute);
        if (many) continue;
        const spare = (await api.create('plans', { name: 'S' })).documentId;
        await api.update('products', taker, { [attribute]: [plan] }, 'status=draft');
        await api.update('products', former, { [attribute]: [spare] }, 'status=draft');
        await discard(taker);
        deepStrictEqual(await namesOf('products', former, attribute, 'status=draft'), ['S'], attribute);
      }
    });

    it('a link that another draft removed and added again is at its last place, even if it was pending', async () => {
      const [list, back] = ['manyToManyOwned', 'manyToManyOwnedBack'];
      for (const isPublishedBetween of [true, false]) {
        const first = (await api.create('plans', { name: 'first' }, 'status=draft')).documentId;
        const second = (await api.create('plans', { name: 'second' })).documentId;
        const { documentId } = await api.create('products', { name: 'P', [list]: [first, second] });
        await api.update('plans', first, { [back]: { disconnect: [documentId] } }, 'status=draft');
        // the link to the first waits for its publication, and its removal as well
        await api.update('products', documentId, {});
        await api.update('plans', first, { [back]: { connect: [documentId] } }, 'status=draft');
        if (isPublishedBetween) await api.update('products', documentId, {});
        await api.update('plans', first, {});
        for (const status of ['draft', 'published']) {
          deepStrictEqual(await namesOf('products', documentId, list, `status=${status}`), ['second', 'first'], status);
        }
      }
    });

    it('links of several types that other drafts have removed keep their order until those drafts are published', async () => {
      const { documentId } = await api.create('products', { name: 'page' });
      const items = [
        ['plans', 'a1', 'mappedMany'],
        ['products', 'b1', 'mappedSelf'],
        ['plans', 'a2', 'mappedMany'],
        ['products', 'b2', 'mappedSelf'],
      ] as const;
      const ids: string[] = [];
      for (const [plural, called, attribute] of items) {
        ids.push((await api.create(plural, { name: called, [attribute]: [documentId] })).documentId);
      }
      await api.update('products', documentId, { name: 'page published' });
      deepStrictEqual(await namesOf('products', documentId, 'anyMany', ''), ['a1', 'b1', 'a2', 'b2']);
      for (const [n, [plural, , attribute]] of items.slice(0, 3).entries()) {
        await api.update(plural, ids[n]!, { [attribute]: [] }, 'status=draft');
      }
      deepStrictEqual(await namesOf('products', documentId, 'anyMany', 'status=draft'), ['b2']);
      await api.update('products', documentId, { name: 'page changed' });
      deepStrictEqual(await namesOf('products', documentId, 'anyMany', ''), ['b2', 'a1', 'b1', 'a2']);
    });

    it('discarding a draft restores its published links, also those that another draft has changed', async () => {
      const token = server.secrets['full'];
      for (const [attribute, back] of [
        ['manyToManyOwned', 'manyToManyOwnedBack'],
        ['manyToManyMapped', 'manyToManyMappedBack'],
      ] as const) {
        const plan = (await api.create('plans', { name: 'L' })).documentId;
        const added = (await api.create('products', { name: 'added' })).documentId;
        const removed = (await api.create('products', { name: 'removed', [attribute]: [plan] })).documentId;
        await api.update('products', added, { [attribute]: [plan] }, 'status=draft');
        await api.update('products', removed, { [attribute]: [] }, 'status=draft');
        deepStrictEqual(await namesOf('plans', plan, back, 'status=draft'), ['added']);
        await server.request('POST', `/api/plans/${plan}/actions/discard-draft`, { token });
        for (const status of ['draft', 'published']) {
          deepStrictEqual(
            await namesOf('plans', plan, back, `status=${status}`),
            ['removed'],
            `${attribute} ${status}`,
          );
          deepStrictEqual(await namesOf('products', added, attribute, `status=${status}`), [], attribute);
          deepStrictEqual(await namesOf('products', removed, attribute, `status=${status}`), ['L'], attribute);
        }
      }
    });

    it('a link that the other draft has removed before the first publication is not published', async () => {
      for (const [attribute, back] of [
        ['manyToManyOwned', 'manyToManyOwnedBack'],
        ['manyToManyMapped', 'manyToManyMappedBack'],
      ] as const) {
        const plan = (await api.create('plans', { name: 'L' })).documentId;
        const product = await api.create('products', { name: 'P', [attribute]: [plan] }, 'status=draft');
        await api.update('plans', plan, { [back]: [] }, 'status=draft');
        await api.update('products', product.documentId, {});
        await api.update('plans', plan, {});
        for (const status of ['draft', 'published']) {
          deepStrictEqual(await namesOf('products', product.documentId, attribute, `status=${status}`), [], attribute);
          deepStrictEqual(await namesOf('plans', plan, back, `status=${status}`), [], attribute);
        }
      }
    });

    it('the notes of a draft are removed with it, and when it is discarded', async () => {
      const notes = async () =>
        Number((await server.app.database.rows('select count(*) from galley_draft_links', []))[0]![0]);
      const plan = (await api.create('plans', { name: 'L' })).documentId;
      const product = (await api.create('products', { name: 'P' })).documentId;
      const before = await notes();
      const token = server.secrets['full'];
      await api.update('products', product, { manyToManyMapped: [plan] }, 'status=draft');
      deepStrictEqual(await notes(), before + 1);
      await server.request('POST', `/api/products/${product}/actions/discard-draft`, { token });
      deepStrictEqual(await notes(), before);
      await api.update('products', product, { manyToManyMapped: [plan] }, 'status=draft');
      await api.remove('plans', plan);
      deepStrictEqual(await notes(), before);
    });
  });
}
