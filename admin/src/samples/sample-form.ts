/** A document with every kind of attribute. It exists only in the browser. */
import type { Linked } from '../../contract/documents.ts';
import type { Attribute, Component, ContentType, Schema } from '../../contract/schema.ts';
import type { FormServices } from '../form/services.ts';
import type { Values } from '../form/values/model.ts';

type Declared = Partial<Attribute> & Pick<Attribute, 'name' | 'type'>;

const attribute = (declared: Declared): Attribute => ({
  required: false,
  localized: false,
  private: false,
  label: declared.name,
  description: null,
  placeholder: null,
  readable: true,
  writable: true,
  writableInNew: true,
  ...declared,
});

const layout = (mainField: string, ...rows: readonly (readonly [name: string, size?: 4 | 6 | 8 | 12][])[]) => ({
  edit: rows.map((row) => row.map(([name, size = 12]) => ({ name, size }))),
  list: [mainField],
  mainField,
  defaultSort: `${mainField}:asc`,
  pageSize: 20,
});

const seo: Component = {
  uid: 'shared.seo',
  displayName: 'Search engines',
  icon: null,
  category: 'shared',
  attributes: [
    attribute({ name: 'title', label: 'Title in results', type: 'string', maxLength: 60 }),
    attribute({ name: 'index', label: 'May be found', type: 'boolean' }),
  ],
  layout: layout('title', [
    ['title', 8],
    ['index', 4],
  ]),
};

const quote: Component = {
  uid: 'text.quote',
  displayName: 'Quotation',
  icon: null,
  category: 'text',
  attributes: [
    attribute({ name: 'words', label: 'Words', type: 'text', required: true }),
    attribute({ name: 'who', label: 'Who said it', type: 'string' }),
  ],
  layout: layout('words', [['words']], [['who']]),
};

const gallery: Component = {
  uid: 'pictures.gallery',
  displayName: 'Gallery',
  icon: null,
  category: 'pictures',
  attributes: [
    attribute({ name: 'heading', label: 'Heading', type: 'string' }),
    attribute({ name: 'files', label: 'Pictures', type: 'media', multiple: true, allowedTypes: ['images'] }),
    attribute({
      name: 'quotes',
      label: 'Quotations',
      type: 'component',
      component: quote.uid,
      repeatable: true,
      max: 3,
    }),
  ],
  layout: layout('heading', [['heading']], [['files']], [['quotes']]),
};

const TAG = 'api::tag.tag';

const tag: ContentType = {
  uid: TAG,
  displayName: 'Tag',
  icon: null,
  kind: 'collectionType',
  singularName: 'tag',
  pluralName: 'tags',
  draftAndPublish: true,
  runsCode: false,
  localized: false,
  actions: { create: true, update: true, delete: true, publish: true },
  attributes: [attribute({ name: 'name', label: 'Name', type: 'string' })],
  layout: layout('name', [['name']]),
};

export const sampleModel: ContentType = {
  ...tag,
  uid: 'api::sample.sample',
  displayName: 'Sample',
  singularName: 'sample',
  pluralName: 'samples',
  attributes: [
    attribute({ name: 'title', label: 'Title', type: 'string', required: true }),
    attribute({ name: 'slug', label: 'Slug', type: 'uid', targetField: 'title' }),
    attribute({
      name: 'summary',
      label: 'Summary',
      type: 'text',
      maxLength: 160,
      description: 'Stands below the title.',
    }),
    attribute({ name: 'body', label: 'Body', type: 'blocks' }),
    attribute({ name: 'notes', label: 'Notes', type: 'richtext' }),
    attribute({ name: 'section', label: 'Section', type: 'enumeration', enum: ['news', 'harbour', 'letters'] }),
    attribute({ name: 'front', label: 'On the first page', type: 'boolean' }),
    attribute({ name: 'colour', label: 'Colour', type: 'string', customField: 'plugin::color-picker.color' }),
    attribute({ name: 'pages', label: 'Pages', type: 'integer', min: 1, max: 400 }),
    attribute({ name: 'views', label: 'Views', type: 'biginteger' }),
    attribute({ name: 'price', label: 'Price', type: 'decimal' }),
    attribute({ name: 'weight', label: 'Weight', type: 'float' }),
    attribute({ name: 'day', label: 'Day', type: 'date' }),
    attribute({ name: 'hour', label: 'Hour', type: 'time' }),
    attribute({ name: 'moment', label: 'Moment', type: 'datetime' }),
    attribute({ name: 'mail', label: 'E-mail', type: 'email' }),
    attribute({ name: 'secret', label: 'Secret', type: 'password', readable: false, minLength: 6 }),
    attribute({ name: 'author', label: 'Main tag', type: 'relation', relation: 'manyToOne', target: TAG }),
    attribute({ name: 'tags', label: 'Tags', type: 'relation', relation: 'manyToMany', target: TAG }),
    attribute({ name: 'cover', label: 'Cover', type: 'media', allowedTypes: ['images'] }),
    attribute({ name: 'seo', label: 'Search engines', type: 'component', component: seo.uid }),
    attribute({ name: 'sections', label: 'Sections', type: 'dynamiczone', components: [quote.uid, gallery.uid] }),
    attribute({ name: 'data', label: 'Data', type: 'json' }),
  ],
  layout: layout(
    'title',
    [['title']],
    [['slug']],
    [['summary']],
    [['body']],
    [['notes']],
    [
      ['section', 6],
      ['front', 6],
    ],
    [
      ['pages', 4],
      ['views', 4],
      ['price', 4],
    ],
    [
      ['weight', 4],
      ['day', 4],
      ['hour', 4],
    ],
    [
      ['moment', 6],
      ['colour', 6],
    ],
    [
      ['mail', 6],
      ['secret', 6],
    ],
    [
      ['author', 6],
      ['tags', 6],
    ],
    [['cover']],
    [['seo']],
    [['sections']],
    [['data']],
  ),
};

export const sampleSchema: Schema = {
  contentTypes: [sampleModel, tag],
  components: [seo, quote, gallery],
  locales: [],
  upload: { sizeLimit: 1e6, allowedTypes: null, deniedTypes: [] },
  previews: [],
  reviewed: [],
  site: { name: null, timeZone: null },
  version: 'one',
};

const STATES = ['published', 'modified', 'published', 'draft'] as const;
const linked = (label: string, index: number): Linked => ({
  type: TAG,
  id: index + 1,
  documentId: label,
  locale: null,
  label,
  state: STATES[index % STATES.length]!,
});
const TAGS = ['food', 'harbour', 'craft', 'weather', 'letters', 'boats'].map(linked);

const line = (text: string) => ({ type: 'text', text });

export const samplePublished: Values = {
  title: 'Smoke and patience',
  slug: 'smoke-and-patience',
  summary: 'A morning with the beekeeper behind the customs house.',
  body: [
    { type: 'paragraph', children: [line('The hives stand behind the old customs house.')] },
    { type: 'heading', level: 3, children: [line('What smoke is for')] },
    { type: 'paragraph', children: [line('It makes them think of leaving.')] },
    {
      type: 'list',
      format: 'unordered',
      children: [
        { type: 'list-item', children: [line('dry grass')] },
        {
          type: 'list',
          format: 'ordered',
          indentLevel: 1,
          children: [{ type: 'list-item', children: [line('cut in June')] }],
        },
      ],
    },
  ],
  notes: 'Ask **Ilse** about the *winter* of 1978.\n\n- bread\n- honey',
  section: 'harbour',
  front: true,
  colour: '#c98a2b',
  pages: 4,
  views: '9007199254740993',
  price: 4.5,
  weight: 0.25,
  day: '2026-11-12',
  hour: '06:30:00.000',
  moment: '2026-11-12T06:30:00.000Z',
  mail: 'ilse@example.org',
  author: [TAGS[1]],
  tags: [TAGS[0], TAGS[1]],
  cover: [],
  seo: { id: 1, title: 'Smoke and patience', index: true },
  sections: [
    { __component: quote.uid, id: 1, words: 'Whoever thinks of leaving packs first.', who: 'Ilse' },
    { __component: gallery.uid, id: 1, heading: 'Four pictures', files: [], quotes: [] },
  ],
  data: { layout: 'wide', columns: [1, 2] },
};

export const sampleDraft: Values = {
  ...samplePublished,
  title: 'Smoke, patience, honey',
  body: [
    {
      type: 'paragraph',
      children: [
        line('The hives stand behind the old customs house, where the wind from the water is broken by '),
        { ...line('a wall that nobody remembers building'), italic: true },
        line('.'),
      ],
    },
    { type: 'heading', level: 3, children: [line('What smoke is for')] },
    {
      type: 'list',
      format: 'unordered',
      children: [
        { type: 'list-item', children: [line('It is not to make the bees sleepy.')] },
        { type: 'list-item', children: [line('It makes them think of leaving.')] },
        {
          type: 'list',
          format: 'unordered',
          indentLevel: 1,
          children: [{ type: 'list-item', children: [line('Most of them stay.')] }],
        },
      ],
    },
    { type: 'quote', children: [line('Whoever thinks of leaving packs first.')] },
    { type: 'code', language: 'javascript', children: [line('const smoke = patience + 1;')] },
  ],
  front: false,
  tags: [TAGS[0], TAGS[1], TAGS[2]],
  seo: { id: 2, title: 'Smoke, patience, honey', index: true },
  sections: [
    { __component: quote.uid, id: 3, words: 'Whoever thinks of leaving packs first.', who: 'Ilse Brandt' },
    { __component: gallery.uid, id: 2, heading: 'Four pictures', files: [], quotes: [] },
    { __component: quote.uid, id: 4, words: 'The wind is broken by a wall.', who: null },
  ],
};

const TAKEN = ['smoke', 'honey'];

/** Answers like a server. */
export const sampleServices: FormServices = {
  linkable: async ({ q }) => {
    const items = TAGS.filter(({ label }) => label?.includes(q.toLowerCase())).map((tag) => ({
      ...tag,
      updatedAt: new Date().toISOString(),
      details: [],
    }));
    return { items, total: items.length };
  },
  linked: async () => ({ items: TAGS, total: TAGS.length }),
  uid: async ({ value, from }) => {
    const name = (value || (from ?? 'sample'))
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '');
    const free = !TAKEN.includes(name);
    return { value: name, free, suggestion: free ? name : `${name}-1` };
  },
};
