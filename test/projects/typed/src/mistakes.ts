/** What must not compile. The comment above each says what the message has to name. */
import { defineAccess, defineGalley, defineHooks, definePolicies, definePopulate, defineRoutes } from 'galley';
import { z } from 'zod';

// wrong: autor
defineAccess({ 'api::article.article': { update: { autor: '$user.id' } } });
// wrong: titel
defineAccess({ 'api::article.article': { read: ['titel'] } });
// wrong: seo\.titel
defineAccess({ 'api::article.article': { write: ['title', 'seo.titel'] } });
// wrong: margin
defineAccess({ 'api::order.order': { read: ['number', 'margin'] } });
// wrong: url
defineHooks({ 'plugin::upload.file': { beforeWrite: ({ data }) => void (data.url = 'x') } });
// wrong: author\.name
defineAccess({ 'api::article.article': { read: ['author.name'] } });
// wrong: \$user\.idd
defineAccess({ 'api::order.order': { find: { buyer: '$user.idd' } } });
// wrong: \$user\.company\.nam\b
defineAccess({ 'api::order.order': { find: { total: { $gt: '$user.company.nam' } } } });
// wrong: \$user\.rebate
defineAccess({ 'api::order.order': { find: { total: '$user.rebate' } } });
// wrong: \$gtt
defineAccess({ 'api::order.order': { find: { total: { $gtt: 3 } } } });
// wrong: usernam\b
defineAccess({ 'api::order.order': { find: { $or: [{ buyer: { usernam: 'x' } }] } } });
// wrong: citi\b
defineAccess({ 'api::order.order': { roles: { editor: { delete: { address: { citi: 'x' } } } } } });
// wrong: extras
defineAccess({ 'api::order.order': { find: { extras: { text: 'x' } } } });
// wrong: api::ordr\.ordr
defineAccess({ 'api::ordr.ordr': { find: true } });
// wrong: findd
defineAccess({ 'api::order.order': { findd: true } });
// wrong: autor
definePopulate({ 'api::article.article': { list: ['autor'] } });
// wrong: usernam\b
definePopulate({ 'api::order.order': { one: { buyer: { fields: ['usernam'] } } } });
// wrong: partnr
definePopulate({ 'api::order.order': { one: { company: { populate: { partnr: true } } } } });
// wrong: shop\.lin\b
definePopulate({ 'api::order.order': { one: { extras: { on: { 'shop.lin': true } } } } });
// wrong: number
definePopulate({ 'api::order.order': { list: ['number'] } });
// wrong: boolean
defineHooks({ 'plugin::users-permissions.user': { beforeWrite: ({ data }) => void (data.username = true) } });
// wrong: usernam\b
defineHooks({ 'plugin::users-permissions.user': { beforeWrite: ({ data }) => void data.usernam } });
// wrong: beforeWrite
defineHooks({ 'plugin::i18n.locale': { afterCommit() {}, beforeWrite() {} } });
// wrong: shut
defineHooks({ 'api::order.order': { beforeWrite: ({ data }) => void (data.state = 'shut') } });
// wrong: margn
defineHooks({ 'api::order.order': { inTransaction: async ({ documents: d }) => void (await d('api::order.order').findMany({ filters: { margn: 1 } })) } });
// wrong: marg\b
defineHooks({ 'api::order.order': { afterCommit: async ({ documents: d }) => (await d('api::order.order').findFirst())?.marg } });
// wrong: rebat\b
definePolicies({ 'api::order.order': { find: [({ caller }) => caller?.user?.rebat === 3] } });
// wrong: margin
definePolicies({ 'api::order.order': { find: [async ({ caller }) => (await caller?.documents('api::order.order').findFirst())?.margin === 1] } });
// wrong: finds
definePolicies({ 'api::order.order': { finds: [] } });
const request = { params: { shop: z.coerce.number() }, body: { 'application/json': z.object({ items: z.array(z.number()) }) } };
// wrong: Type 'number' is not assignable to type 'string'
defineRoutes([{ name: 'a', method: 'GET', path: '/a/:shop', request, handler: ({ params }): string => params.shop }]);
// wrong: item\b
defineRoutes([{ name: 'a', method: 'GET', path: '/a/:shop', request, handler: ({ body }) => body.item }]);
// wrong: boolean
defineGalley({ routes: [{ name: 'a', method: 'GET', path: '/a', request: { query: { gift: z.stringbool() } }, handler: ({ query }): string => query.gift }] });
// wrong: GTE
defineRoutes([{ name: 'a', method: 'GTE', path: '/a', handler: () => 1 }]);
