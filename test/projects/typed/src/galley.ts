/** Every part of the definition, with whatever a project may write there. */
import {
  type Account,
  defineAccess,
  defineGalley,
  defineHooks,
  defineJobs,
  definePolicies,
  definePopulate,
  defineRoutes,
  NotFoundError,
  type Policy,
  ValidationError,
} from 'galley';
import { z } from 'zod';

export const hooks = defineHooks({
  '*': {
    beforeWrite(event) {
      if (event.uid === 'api::order.order') event.data.state ??= 'open';
    },
    async inTransaction({ changes, documents }) {
      for (const { documentId, kind } of changes) {
        if (kind === 'created') await documents('api::company.company').update({ documentId, data: { rating: 1 } });
      }
    },
  },
  'api::order.order': {
    beforeWrite({ action, data, userId }) {
      if (action === 'create') data.buyer ??= userId;
      data.margin = 3;
      return { ...data, lines: [{ text: 'One', count: 1 }] };
    },
    afterCommit: { retry: true, run: async ({ log }) => log.info('written') },
  },
  'plugin::upload.file': {
    beforeWrite({ data, file }) {
      if (file && file.size > 5_000_000) throw new ValidationError('No more than 5 MB, please', 'files');
      data.caption = `${data.name} (${data.folder ?? 'no folder'})`;
    },
  },
  'plugin::i18n.locale': { afterCommit() {} },
  'plugin::users-permissions.user': {
    beforeWrite({ data }) {
      if (data.username === 'admin') throw new ValidationError('Not this one', ['username']);
      data.username = data.username?.toLowerCase() ?? null;
      data.rebate = '0.5';
    },
  },
});

const isFree: Policy = ({ caller }) => caller?.user?.blocked !== true;

export const policies = definePolicies({
  'api::order.order': { find: [isFree, ({ query, headers }) => query['all'] === undefined || !!headers['x-all']] },
});

const owner = { buyer: '$user.id' } as const;
export const access = defineAccess({
  'api::order.order': {
    find: {
      $or: [
        { buyer: '$user.id' },
        { buyer: { username: '$user.username' } },
        { company: '$user.company.id', state: { $in: ['open', 'paid'] } },
        { company: { partner: { partner: { $in: ['$user.company.partner.id', '7'] } } } },
        { number: '$user.email', isGift: true },
        { placedAt: { $lte: '$now' }, total: { $between: [1, '20'] } },
        { margin: { $gt: 3 }, address: { city: { $startsWith: ['A', 'B'], $not: { $contains: 'x' } } } },
        { $not: { lines: { count: { $or: [{ $lt: 3 }, { $null: true }] } } } },
        { papers: { ext: '.pdf' }, raw: { $notNull: true }, text: { $null: false } },
        { company: { $null: true } },
        { documentId: { $ne: 'a' }, createdAt: { $gt: '2020-01-01' }, id: [1, 2] },
      ],
    },
    update: owner,
    delete: false,
    read: ['number', 'state', 'buyer', 'address.city', 'lines.place.city', 'extras'],
    write: ['number', 'margin', 'lines.count'],
    roles: { editor: { update: true, read: ['number', 'lines'] } },
  },
  'plugin::users-permissions.user': { find: { id: '$user.id' }, write: ['username', 'password'] },
  'plugin::upload.file': { find: { name: { $notContains: 'private' } }, read: ['name', 'url'] },
});

export const populate = definePopulate({
  'api::order.order': {
    list: ['buyer', 'company.partner', 'papers'],
    one: {
      buyer: { fields: ['username', 'email'], populate: { company: { populate: 'partner' } } },
      lines: { filters: { count: { $gt: 1 } }, sort: 'count:desc' },
      extras: { on: { 'shop.line': { populate: ['place'] }, 'shared.seo': true } },
      about: { on: { 'api::company.company': { fields: ['name'] } } },
      papers: { count: true },
      address: '*',
    },
  },
  'api::company.company': { list: '*', one: 'partner' },
});

export const jobs = defineJobs({
  tidy: {
    cron: '0 3 * * *',
    async run({ documents, log }) {
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await documents('api::order.order').findPage({ cursor, filters: { margin: { $null: true } } });
        for (const { number, margin, company } of page.results) log.info(`${number} ${margin} ${company?.rating}`);
        cursor = page.pagination.next;
      }
      const names: string[] = ['buyer'];
      const [order] = await documents('api::order.order').findMany({
        filters: { buyer: String(3), total: { $gt: '3' }, $or: [{ state: 'open' }] },
        fields: ['number', 'margin'],
        populate: names,
        sort: ['total:desc'],
      });
      for (const part of order?.extras ?? []) if (part.__component === 'shop.line') log.info(`${part.count}`);
    },
  },
});

const order = z.object({ items: z.array(z.number()).min(1) });
const greet = (account: Account | undefined): string => account?.email ?? account?.role?.name ?? 'nobody';
export const routes = defineRoutes([
  {
    name: 'order',
    method: 'POST',
    path: '/orders/:shop/:kind',
    request: {
      params: { shop: z.coerce.number() },
      query: { gift: z.stringbool().optional() },
      body: { 'application/json': order, 'text/plain': z.string() },
    },
    response: z.object({ id: z.string() }),
    async handler({ params, query, body, caller, documents }) {
      const gift: boolean | undefined = query.gift;
      const items: number[] = typeof body === 'string' ? [Number(body)] : body.items;
      const kind: string | undefined = params['kind'];
      const seen = await caller?.documents('api::order.order').findFirst({ filters: { total: params.shop } });
      const total: number | null | undefined = seen?.total;
      const made = await documents('api::order.order').create({ data: { number: 'x', isGift: gift ?? null } });
      if (made.margin === 0) throw new NotFoundError();
      return { items, kind, total, id: seen?.documentId, other: query['other'], to: greet(caller?.user) };
    },
  },
  {
    name: 'plain',
    method: 'GET',
    path: '/plain/:id',
    auth: false,
    policies: [isFree],
    handler: ({ params, request, files }) => Response.json({ id: params['id']?.trim(), url: request.url, files }),
  },
]);

/** The same as one definition. */
defineGalley({
  hooks,
  routes: [
    { name: 'one', method: 'GET', path: '/one', request: { query: { n: z.coerce.number() } }, handler: ({ query }) => query.n + 1 },
  ],
  policies,
  access: { 'api::order.order': { find: { total: { $gt: 1 } } } },
  populate,
  jobs,
});
