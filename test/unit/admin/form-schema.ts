/** A schema with every kind of attribute, for tests of the form of a document. */
import type { Attribute, Component, ContentType, Schema } from '../../../admin/contract/schema.ts';

type Declared = Partial<Attribute> & Pick<Attribute, 'type'>;

function attributes(declared: Readonly<Record<string, Declared>>): readonly Attribute[] {
  return Object.entries(declared).map(([name, attribute]) => ({
    name,
    required: false,
    localized: true,
    private: false,
    label: name,
    description: null,
    placeholder: null,
    readable: true,
    writable: true,
    writableInNew: true,
    ...attribute,
  }));
}

const layoutOf = (mainField: string) => ({
  edit: [],
  list: [],
  mainField,
  defaultSort: `${mainField}:asc`,
  pageSize: 10,
});

function component(uid: string, mainField: string, declared: Readonly<Record<string, Declared>>): Component {
  const [category = ''] = uid.split('.');
  return { uid, displayName: uid, icon: null, category, attributes: attributes(declared), layout: layoutOf(mainField) };
}

export const article: ContentType = {
  uid: 'api::article.article',
  displayName: 'Article',
  icon: null,
  kind: 'collectionType',
  singularName: 'article',
  pluralName: 'articles',
  draftAndPublish: true,
  runsCode: false,
  localized: true,
  actions: { create: true, update: true, delete: true, publish: true },
  layout: layoutOf('title'),
  attributes: attributes({
    title: { type: 'string', required: true, default: 'Untitled' },
    body: { type: 'text' },
    count: { type: 'integer' },
    big: { type: 'biginteger' },
    price: { type: 'decimal' },
    done: { type: 'boolean' },
    at: { type: 'datetime' },
    hour: { type: 'time' },
    data: { type: 'json' },
    text: { type: 'blocks' },
    secret: { type: 'password', readable: false },
    slug: { type: 'uid', targetField: 'title', writable: false },
    cover: { type: 'media' },
    gallery: { type: 'media', multiple: true },
    author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
    tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
    about: { type: 'relation', relation: 'morphToMany' },
    seo: { type: 'component', component: 'shared.seo' },
    slots: { type: 'component', component: 'shared.slot', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shared.slot', 'shared.seo'] },
  }),
};

export const schema: Schema = {
  contentTypes: [article],
  components: [
    component('shared.seo', 'metaTitle', {
      metaTitle: { type: 'string' },
      image: { type: 'media' },
    }),
    component('shared.slot', 'label', {
      label: { type: 'string', required: true },
      links: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
      seo: { type: 'component', component: 'shared.seo' },
    }),
  ],
  locales: [],
  upload: { sizeLimit: 1, allowedTypes: null, deniedTypes: [] },
  previews: [],
  reviewed: [],
  site: { name: null, timeZone: null },
  version: 'one',
};

/** A linked document. */
export function link(documentId: string, type = 'api::tag.tag') {
  return { type, id: 1, documentId, locale: null, label: documentId, state: null };
}
