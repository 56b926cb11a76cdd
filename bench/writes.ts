/** Writing: what a request costs that is validated, stored in many tables, published, and durable when answered. */
import { connect, type Outgoing, type Pace, pace, type Source, send } from './load.ts';
import type { Target } from './processes.ts';

/** Documents that updates and publications go round, so that requests do not all wait for one. */
const DOCUMENTS = 64;
/** Links of a document that has many. */
const LINKS = 60;
/** Components of a zone that has many. */
const COMPONENTS = 40;
/** Drafts that are made to be published where no other workload has left any. */
const DRAFTS = 8;

/** Documents that one writer works on, its own so that writers do not wait for each other's. */
interface Desk {
  readonly author: string;
  readonly few: readonly string[];
  /** So many that are linked at once. */
  readonly tags: readonly string[];
  readonly documents: readonly string[];
  /** A published document with all of the links. */
  readonly linked: string;
  /** Drafts with all of the links that were never published. */
  readonly drafts: string[];
  turn: number;
}

interface WriteWorkload {
  readonly name: string;
  /** The next request; undefined when there is nothing left to do. */
  readonly next: (desk: Desk) => Outgoing | undefined;
  readonly answered?: (desk: Desk, documentId: string) => void;
  /** Whether there is a hand-written route for it on PostgreSQL. */
  readonly byHand?: boolean;
}

/** What every system writes of a document. */
export const WRITTEN = {
  title: 'written',
  body: 'A paragraph of some length, as articles have them, though not quite as long. '.repeat(5),
  views: 7,
  featured: true,
  kind: 'news',
  day: '2026-05-06',
  seo: { metaTitle: 'A title', metaDescription: 'A description' },
  links: [{ label: 'here', url: 'https://example.org' }],
};

/** A document with two relations and three components. */
const article = ({ author, few }: Pick<Desk, 'author' | 'few'>): Record<string, unknown> => ({
  ...WRITTEN,
  author,
  tags: few,
  zone: [{ __component: 'blocks.quote', text: 'Nothing is as it was' }],
});

const create = (data: unknown, query = ''): Outgoing => ({ method: 'POST', path: `/api/articles${query}`, data });
const update = (documentId: string, data: unknown, query = ''): Outgoing => ({
  method: 'PUT',
  path: `/api/articles/${documentId}${query}`,
  data,
});
const around = (desk: Desk): string => desk.documents[desk.turn % desk.documents.length]!;
const draftWithLinks = ({ tags, turn }: Pick<Desk, 'tags' | 'turn'>): Outgoing =>
  create({ title: `linked ${turn}`, tags }, '?status=draft');

const zone = Array.from({ length: COMPONENTS / 2 }, (_, n) => [
  { __component: 'blocks.quote', text: `quote ${n}` },
  { __component: 'blocks.hero', title: `hero ${n}` },
]).flat();

const workloads: readonly WriteWorkload[] = [
  { name: 'create', next: (desk) => create(article(desk)) },
  { name: 'update', next: (desk) => update(around(desk), { title: `changed ${desk.turn}`, views: desk.turn }) },
  { name: 'publish', next: (desk) => update(around(desk), {}) },
  { name: 'create-small', byHand: true, next: ({ turn }) => create({ title: `small ${turn}`, views: turn }) },
  {
    name: 'create-linked',
    byHand: true,
    next: draftWithLinks,
    answered: ({ drafts }, documentId) => void drafts.push(documentId),
  },
  {
    name: 'publish-first',
    byHand: true,
    next: ({ drafts }) => {
      const documentId = drafts.pop();
      return documentId === undefined ? undefined : update(documentId, {});
    },
  },
  { name: 'retitle', byHand: true, next: ({ linked, turn }) => update(linked, { title: `title ${turn}` }) },
  {
    name: 'move-link',
    byHand: true,
    next: ({ linked, tags, turn }) => {
      // a stride that meets every tag
      const moved = tags[(turn * 7) % LINKS]!;
      const before = tags[(turn * 7 + 31) % LINKS]!;
      const connect = [{ documentId: moved, position: { before } }];
      return update(linked, { tags: { connect } }, '?status=draft');
    },
  },
  {
    name: 'reverse-links',
    byHand: true,
    next: ({ linked, tags, turn }) => update(linked, { tags: turn % 2 === 0 ? tags : tags.toReversed() }),
  },
  { name: 'create-zone', byHand: true, next: ({ turn }) => create({ title: `zone ${turn}`, zone }) },
];

async function read(target: Target, path: string): Promise<{ documentId: string }[]> {
  const response = await fetch(target.url + path, { headers: target.headers });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`);
  return (JSON.parse(text) as { data: { documentId: string }[] }).data;
}

/** Makes what writers work on, before anything is timed. */
async function prepare(target: Target, writers: number): Promise<Desk[]> {
  const pool = connect(target, 4);
  const [author] = await read(target, '/api/authors?pagination[pageSize]=1');
  const few = (await read(target, '/api/tags?pagination[pageSize]=2')).map(({ documentId }) => documentId);
  const shared = { author: author!.documentId, few };
  const sendAll = (count: number, nth: (n: number) => Outgoing): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => send(target, pool, nth(n))));
  const documents = await sendAll(DOCUMENTS, (n) => create({ ...article(shared), title: `prepared ${n}` }));
  const desks: Desk[] = [];
  for (let writer = 0; writer < writers; writer++) {
    const tags = await sendAll(LINKS, (n) => ({
      method: 'POST',
      path: '/api/tags',
      data: { name: `tag ${writer} ${n}` },
    }));
    const linked = await send(target, pool, create({ title: `linked ${writer}`, tags }));
    const own = documents.filter((_, n) => n % writers === writer % DOCUMENTS);
    desks.push({ ...shared, tags, documents: own.length > 0 ? own : documents, linked, drafts: [], turn: 0 });
  }
  await pool.close();
  return desks;
}

/** Makes drafts that can be published, unless enough of them were left over. */
async function makeDrafts(target: Target, desks: readonly Desk[]): Promise<void> {
  const pool = connect(target, 4);
  for (const desk of desks) {
    while (desk.drafts.length < DRAFTS) desk.drafts.push(await send(target, pool, draftWithLinks(desk)));
  }
  await pool.close();
}

/** Names of the workloads. */
export const writeNames: readonly string[] = workloads.map(({ name }) => name);

/** Whoever takes the writes: a server, or the hand-written routes for them beside one. */
export interface WriteTarget {
  readonly name: string;
  readonly target: Target;
  /** The server whose database the hand-written routes share. */
  readonly beside?: Target;
}

/** Those who write to a target, with what they work on. */
export interface Writers {
  readonly name: string;
  /** Requests per second of a workload; undefined where the target has no such route. */
  rate(workload: string, seconds: number): Promise<Pace | undefined>;
}

/** Makes the documents that so many writers work on, each on its own. */
export async function writersOf({ name, target, beside }: WriteTarget, count: number): Promise<Writers> {
  const desks = await prepare(beside ?? target, count);
  return {
    name,
    async rate(workloadName, seconds) {
      const workload = workloads.find((candidate) => candidate.name === workloadName)!;
      if (beside && !workload.byHand) return undefined;
      // by hand there is a route for each workload
      const through = (outgoing: Outgoing): Outgoing =>
        beside
          ? { ...outgoing, method: 'POST', path: outgoing.path.replace('/api/articles', `/write/${workloadName}`) }
          : outgoing;
      if (workloadName === 'publish-first') await makeDrafts(beside ?? target, desks);
      const sources = desks.map(
        (desk): Source => ({
          next() {
            const outgoing = workload.next(desk);
            desk.turn++;
            return outgoing && through(outgoing);
          },
          answered: (documentId) => workload.answered?.(desk, documentId),
        }),
      );
      return pace(target, sources, seconds);
    },
  };
}
