/** Random documents for a project that has no database of its own. */
import { type App, openProject } from '../../src/app.ts';
import { type Attribute, type ContentType, isScalar, type Model, modelOf } from '../../src/schema/catalog.ts';
import { Random } from '../model/random.ts';
import { typesOf } from './samples.ts';
import { valid } from './writes/values.ts';

const DOCUMENTS = 12;
const LOCALES = ['en', 'fr', 'de'];
const SEED = 1;

/** Makes documents of every type, some in several locales, some as drafts alone, some changed since their publication. */
export async function fill(project: string, env: Readonly<Record<string, string>>): Promise<void> {
  const app = await openProject(project, { env: { ...env }, overrides: { port: 0, host: '127.0.0.1' } });
  try {
    const random = new Random(SEED);
    const made = new Map<string, string[]>();
    for (const type of typesOf(app.catalog)) {
      const service = app.documents(type.uid);
      const ids: string[] = [];
      for (let i = 0; i < (type.kind === 'singleType' ? 1 : DOCUMENTS); i++) {
        const created = await service.create({ data: scalars(random, type), status: statusOf(random, type) });
        ids.push(String(created['documentId']));
      }
      made.set(type.uid, ids);
    }
    for (const type of typesOf(app.catalog)) {
      for (const documentId of made.get(type.uid)!) await link(app, random, type, documentId, made);
    }
  } finally {
    await app.close();
  }
}

async function link(
  app: App,
  random: Random,
  type: ContentType,
  documentId: string,
  made: ReadonlyMap<string, string[]>,
): Promise<void> {
  const service = app.documents(type.uid);
  const data = content(app, random, type, made);
  await service.update({ documentId, data, status: statusOf(random, type) });
  if (!type.localized) return;
  for (const locale of LOCALES.slice(1)) {
    if (!random.chance(0.4)) continue;
    const own = [...type.attributes.values()].filter(({ localized, type: kind }) => localized && kind !== 'relation');
    const fresh = { ...scalars(random, type), ...content(app, random, type, made) };
    const values = Object.fromEntries(own.flatMap(({ name }) => (name in fresh ? [[name, fresh[name]]] : [])));
    await service.update({ documentId, locale, data: values, status: statusOf(random, type) });
  }
}

const statusOf = (random: Random, type: ContentType) =>
  type.draftAndPublish && random.chance(0.35) ? ('draft' as const) : ('published' as const);

function scalars(random: Random, model: Model): Record<string, unknown> {
  const values = [...model.attributes.values()].map((attribute) => [attribute.name, scalar(random, attribute)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function scalar(random: Random, attribute: Attribute): unknown {
  if (!isScalar(attribute) || (!attribute.required && random.chance(0.15))) return undefined;
  switch (attribute.type) {
    case 'string':
      // what is unique must not come twice
      return `${random.pick(['amber', 'Birch', 'cedar'])} ${random.below(attribute.unique ? 100_000 : 6)}`;
    case 'uid':
      return `slug-${random.below(100_000)}`;
    case 'integer':
      return random.below(9);
    case 'decimal':
      return random.below(40) / 4;
    case 'datetime':
      return new Date(Date.UTC(2024, random.below(12), 1 + random.below(28))).toISOString();
    default:
      return valid(random, attribute);
  }
}

/** Relations, components and zones. */
function content(app: App, random: Random, model: Model, made: ReadonlyMap<string, string[]>): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  const part = (uid: string): Record<string, unknown> => {
    const component = modelOf(app.catalog, uid);
    return { ...scalars(random, component), ...content(app, random, component, made) };
  };
  for (const attribute of model.attributes.values()) {
    if (random.chance(0.2)) continue;
    const { name } = attribute;
    if (attribute.type === 'relation' && attribute.relation === 'morphToMany') {
      const reached = random.some(
        [...made].filter(([, ids]) => ids.length > 1),
        2,
      );
      data[name] = reached.map(([uid, ids]) => ({ __type: uid, documentId: random.pick(ids) }));
    } else if (attribute.type === 'relation' && attribute.owner && attribute.target !== undefined) {
      const picked = random.some(made.get(attribute.target)!, 3);
      data[name] = /Many$/.test(attribute.relation) ? picked : (picked[0] ?? null);
    } else if (attribute.type === 'component') {
      data[name] = attribute.repeatable
        ? [part(attribute.component), part(attribute.component)]
        : part(attribute.component);
    } else if (attribute.type === 'dynamiczone') {
      data[name] = random.some(attribute.components, 2).map((uid) => ({ __component: uid, ...part(uid) }));
    }
  }
  return data;
}
