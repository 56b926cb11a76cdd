/** Fields with conditions: when they are hidden, and the problems and requests of hidden ones. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Attribute, ContentType, Schema } from '../../../admin/contract/schema.ts';
import { rowName } from '../../../admin/src/form/rows/row-name.ts';
import type { Values } from '../../../admin/src/form/values/model.ts';
import { newValues } from '../../../admin/src/form/values/new-values.ts';
import { problems } from '../../../admin/src/form/values/problems.ts';
import { toBody, unsendable } from '../../../admin/src/form/values/to-body.ts';
import { unparsed } from '../../../admin/src/form/values/unparsed.ts';
import { isPathShown, isShown } from '../../../admin/src/form/values/visibility.ts';
import { article, schema as whole } from './form-schema.ts';

const [first] = article.attributes;
const field = (name: string, options: Partial<Attribute>): Attribute => {
  const { default: _, ...rest } = first!;
  return { ...rest, required: false, name, label: name, ...options };
};
const is = (name: string, value: unknown) => ({ '==': [{ var: name }, value] });

const [anyComponent] = whole.components;
const link = {
  ...anyComponent!,
  uid: 'shared.link',
  attributes: [
    field('kind', { type: 'string' }),
    field('href', { type: 'string', required: true, visibleIf: is('kind', 'external') }),
  ],
};
const model: ContentType = {
  ...article,
  attributes: [
    field('open', { type: 'boolean' }),
    field('count', { type: 'integer' }),
    field('tags', { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' }),
    field('name', { type: 'string', required: true, maxLength: 5, visibleIf: is('open', true) }),
    field('data', { type: 'json', visibleIf: is('open', true) }),
    field('why', { type: 'string', required: true, visibleIf: { '!!': [{ var: 'tags' }] } }),
    field('links', { type: 'component', component: 'shared.link', repeatable: true }),
  ],
};
const schema: Schema = { ...whole, components: [link] };
const named = (name: string): Attribute => model.attributes.find((one) => one.name === name)!;
const paths = (values: Values) => problems(schema, model, values, false).map(({ path }) => path.join('.'));

describe('fields with conditions', () => {
  it('are shown by the values beside them', () => {
    const shown = (name: string, values: Values) => isShown(schema, model, named(name), values);
    deepStrictEqual(
      [shown('name', { open: true }), shown('name', { open: false }), shown('name', {})],
      [true, false, false],
    );
    const tag = { documentId: 'a', id: 1 };
    deepStrictEqual([shown('why', { tags: [tag] }), shown('why', { tags: [] })], [true, false]);
    strictEqual(shown('why', { tags: { items: [], count: 40 } }), true);
  });

  it('have no problems while they are hidden, in rows as well', () => {
    const links = [{ kind: 'page' }, { kind: 'external' }];
    deepStrictEqual(paths({ open: false, links }), ['links.1.href']);
    deepStrictEqual(paths({ open: true, links: [] }), ['name']);
    deepStrictEqual(
      [
        isPathShown(schema, model, { open: false }, ['name']),
        isPathShown(schema, model, { links }, ['links', 0, 'href']),
        isPathShown(schema, model, { links }, ['links', '1', 'href']),
      ],
      [false, false, true],
    );
  });

  it('give a row no name while they are hidden, and are not filled in', () => {
    strictEqual(rowName(schema, link, { kind: null, href: 'https://example.org' }), undefined);
    strictEqual(rowName(schema, link, { kind: 'external', href: 'https://example.org' }), 'external');
    const box = field('box', { type: 'component', component: 'shared.link', required: true });
    const values = (one: Attribute) => newValues(schema, { ...model, attributes: [one] });
    deepStrictEqual([values(box), values({ ...box, visibleIf: is('open', true) })], [{ box: {} }, {}]);
  });

  it('are sent while they are hidden, and hold nothing back', () => {
    const values = { open: false, name: 'far too long', data: unparsed('{') };
    deepStrictEqual(toBody(schema, model, values, { open: true, name: null, data: null }), {
      open: false,
      name: 'far too long',
    });
    deepStrictEqual(unsendable(schema, model, values, {}), []);
    const shown = { ...values, open: true };
    deepStrictEqual(
      unsendable(schema, model, shown, {}).map(({ path }) => path.join()),
      ['name', 'data'],
    );
  });
});
