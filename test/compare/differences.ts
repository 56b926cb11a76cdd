/** Which differences between two answers count, and which are deliberate. */
import { difference } from '../../bench/difference.ts';
import { type Catalog, type Model, modelOf } from '../../src/schema/catalog.ts';
import type { Oracle } from './oracle.ts';
import { editedAnswer, withoutKeys, withStatus, withVersions } from './read-edits.ts';
import { targetOf } from './samples.ts';
import type { Answer, Pair, Request } from './servers.ts';

/** Lists of types without drafts: `authors`. */
export type WithoutDrafts = ReadonlySet<string>;

/** What reads are judged by. */
export interface Bench {
  readonly pair: Pair;
  readonly catalog: Catalog;
  readonly oracle: Oracle;
  readonly withoutDrafts: WithoutDrafts;
}

/** Where two answers to one request differ; undefined where they are equal as values. */
export type Compare = (reference: Answer, galley: Answer) => string | undefined;

/** A deliberate difference, told by the page for people who move. */
export type Rule = {
  readonly name: string;
  /** Words of the line of `docs/differences.md` that tells it. */
  readonly page: string;
  /** Whether the request is one that both answer differently by this rule. */
  readonly applies: (request: Request, bench: Bench) => boolean;
} & (
  | {
      /** The request without what the rule is about: where both then agree, the rule explains the difference. */
      readonly without: (request: Request, bench: Bench) => Request;
    }
  | {
      /** What means to the reference what the request means to Galley: both must agree. */
      readonly translated: (request: Request) => Request;
    }
  | {
      /** The reference's answer without what the rule is about: it must then be Galley's. */
      readonly edited: (request: Request, reference: Answer, galley: Answer, bench: Bench) => Answer;
    }
);

/** Equal as values, hints of ours left aside. */
export const compareReads: Compare = (reference, galley) => {
  if (reference.status !== galley.status) return `status: ${reference.status} and ${galley.status}`;
  return difference(plain(reference.body), plain(galley.body));
};

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (key === 'hint' ? [] : [[key, plain(item)]])),
  );
}

const withParams = (request: Request, change: (param: string) => string | undefined): Request => ({
  ...request,
  params: request.params.map(change).filter((param) => param !== undefined),
});
const mentions = (pattern: RegExp) => (request: Request) => request.params.some((param) => pattern.test(param));

const withBody = (answer: Answer, body: unknown): Answer => ({ ...answer, body });

/** Whether one document is read, or the only one. */
const isSingleRead = ({ path }: Request, catalog: Catalog): boolean =>
  /^\/api\/[^/]+\/[^/]+$/.test(path) ||
  [...catalog.contentTypes.values()].some((type) => path === `/api/${type.singularName}`);

/** Whether a filter or sort key goes from a type without drafts, or a component of one, to a type with drafts. */
function reachesDrafts(catalog: Catalog, path: string, param: string): boolean {
  if (!/filters|sort/.test(param)) return false;
  const [, , name] = path.split('/');
  const type = [...catalog.contentTypes.values()].find((one) => one.pluralName === name || one.singularName === name);
  let model: Model | undefined = type;
  let drafts = type?.draftAndPublish ?? true;
  for (const word of param.replace(/=(?=.*$)/, param.includes('sort') ? '.' : '[$eq]').split(/[[\].:]+/)) {
    const target = targetOf(model?.attributes.get(word));
    if (target === undefined) continue;
    model = modelOf(catalog, target);
    if (model.modelType !== 'contentType') continue;
    if (!drafts && model.draftAndPublish) return true;
    drafts = model.draftAndPublish;
  }
  return false;
}

/** The filter that holds a relation with a group in it, where the same group stands beside the relation. */
function relationBesideGroup(param: string, params: readonly string[]): string | undefined {
  if (!param.startsWith('filters')) return undefined;
  const keys = param.split('=', 1)[0]!.match(/\[[^\]]*\]/g) ?? [];
  for (let length = 0; length < keys.length; length++) {
    const at = `filters${keys.slice(0, length).join('')}`;
    const relation = `${at}${keys[length]}`;
    if (!/^\[[a-z]\w*\]$/i.test(keys[length]!)) continue;
    for (const group of ['[$and]', '[$or]', '[$not]']) {
      const isInside = params.some((other) => other.startsWith(`${relation}${group}`));
      if (isInside && params.some((other) => other.startsWith(`${at}${group}`))) return at;
    }
  }
  return undefined;
}

const SENSITIVE = /\[\$(contains|notContains|startsWith|endsWith)\]/;

/** A filter or sort key through the locale versions, wherever it stands. */
const LOCALIZATIONS = /filters.*\[localizations\]|sort.*=.*localizations\./;
/** Names what uses a file, or may. */
const RELATED = /^populate.*(related|\[populate\].*=\*)/;

/** In the order in which they are tried. */
export const RULES: readonly Rule[] = [
  {
    name: 'case',
    page: '`$contains`, `$notContains`, `$startsWith` and `$endsWith` are case-sensitive',
    applies: mentions(SENSITIVE),
    without: (request) => withParams(request, (param) => param.replaceAll(new RegExp(SENSITIVE, 'g'), '[$$$1i]')),
  },
  {
    name: 'not',
    page: '`$not` around a relation to many',
    applies: mentions(/\[\$not\].*\[\$?\w+\].*\[/),
    without: (request) => withParams(request, (param) => (param.includes('[$not]') ? undefined : param)),
  },
  {
    name: 'search',
    page: '`_q` searches the texts of a type',
    applies: mentions(/^_q=/),
    without: (request) => withParams(request, (param) => (param.startsWith('_q=') ? undefined : param)),
  },
  {
    name: 'localizations',
    page: '`populate=localizations` on a list of several locales',
    applies: mentions(/^populate.*(\*|localizations)/),
    edited: (_request, reference, galley) =>
      withBody(reference, editedAnswer(reference.body, galley.body, withVersions)),
  },
  {
    name: 'morph-status',
    page: 'relations to any type are populated with rows of either status',
    applies: mentions(/^populate/),
    edited: ({ params }, reference, galley, { withoutDrafts, catalog }) => {
      const status = params.includes('status=draft') ? 'draft' : 'published';
      const ofCohort = params.some((param) => /^(publicationFilter|hasPublishedVersion)=/.test(param));
      const hasDrafts = (uid: string) => !withoutDrafts.has(catalog.contentTypes.get(uid)?.pluralName ?? '');
      return withBody(reference, editedAnswer(reference.body, galley.body, withStatus(status, ofCohort, hasDrafts)));
    },
  },
  {
    name: 'groups',
    page: 'a group inside a relation vanishes',
    applies: ({ params }) => params.some((param) => relationBesideGroup(param, params) !== undefined),
    translated: (request) =>
      withParams(request, (param) => {
        const at = relationBesideGroup(param, request.params);
        return at === undefined ? param : `${at}[$and][98]${param.slice(at.length)}`;
      }),
  },
  {
    name: 'wrong-operands',
    page: 'an invalid operand inside `populate`',
    applies: mentions(/^populate.*filters/),
    edited: (_request, reference, galley) => {
      const { message = '' } = (galley.body as { error?: { message?: string } }).error ?? {};
      return reference.status === 404 && galley.status === 400 && message.startsWith('Invalid format')
        ? galley
        : reference;
    },
  },
  {
    name: 'first-mistake',
    page: 'of several mistakes',
    applies: mentions(/\[\$between\]/),
    edited: (_request, reference, galley) => {
      const { message = '' } = (galley.body as { error?: { message?: string } }).error ?? {};
      return reference.status === galley.status && message.startsWith('The operator $between') ? galley : reference;
    },
  },
  {
    name: 'one-of-several',
    page: 'which version a single read returns',
    applies: (request, { catalog }) => isSingleRead(request, catalog) && mentions(/^filters\[locale\]/)(request),
    translated: (request) => {
      const params = request.params.filter((param) => !param.startsWith('sort'));
      return { ...request, params: [...params, 'sort=id'] };
    },
  },
  {
    name: 'drafts-behind',
    page: 'reaches a type with drafts from one without',
    applies: ({ path, params }, { catalog }) => params.some((param) => reachesDrafts(catalog, path, param)),
    without: (request, { catalog }) =>
      withParams(request, (param) => (reachesDrafts(catalog, request.path, param) ? undefined : param)),
  },
  {
    name: 'localizations-status',
    page: 'Filters and sort keys through `localizations`',
    applies: mentions(LOCALIZATIONS),
    without: (request) => withParams(request, (param) => (LOCALIZATIONS.test(param) ? undefined : param)),
  },
  {
    name: 'related',
    page: 'what they are `related` to',
    applies: mentions(RELATED),
    without: (request) => withParams(request, (param) => (RELATED.test(param) ? undefined : param)),
  },
  {
    name: 'sort-keys',
    page: 'A sort key that `fields` does not name',
    applies: mentions(/sort/),
    edited: ({ params }, reference, galley) => {
      const keys = params.filter((param) => param.includes('sort')).map((param) => param.split(/[=.:]/));
      const names = new Set(keys.flatMap((parts) => parts.slice(1)));
      return withBody(reference, editedAnswer(reference.body, galley.body, withoutKeys(names)));
    },
  },
  {
    name: 'document-id',
    page: '`filters[documentId]` on a single document',
    applies: (request) => /^\/api\/[^/]+\/[^/]+$/.test(request.path) && mentions(/^filters\[documentId\]/)(request),
    without: (request) => withParams(request, (param) => (param.startsWith('filters[documentId]') ? undefined : param)),
  },
];

/** What a request shows: equal, a difference that a rule explains, or one that none does. */
export type Verdict =
  | { readonly kind: 'equal' }
  | { readonly kind: 'deliberate'; readonly rule: Rule }
  /** The reference answered 500, and Galley as it should. */
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'different'; readonly where: string };

/** Sends a request to both and judges their answers. What a rule explains must be right by the oracle. */
export async function judge(bench: Bench, request: Request): Promise<Verdict> {
  const { pair, oracle } = bench;
  const [reference, galley] = await Promise.all([pair.reference.send(request), pair.galley.send(request)]);
  const where = compareReads(reference, galley);
  if (where === undefined) return { kind: 'equal' };
  if (reference.status === 500) return judgeAlone(bench, request, galley);
  const byEdits = editedBy(bench, request, reference, galley);
  for (const rule of [byEdits, ...RULES.filter((one) => !('edited' in one))]) {
    if (!rule?.applies(request, bench)) continue;
    if ('without' in rule && isRefusalOfItsOwn(request, reference, galley, bench)) continue;
    if (!(await explains(rule, bench, request, galley))) continue;
    const wrong = await oracle.wrong(pair.galley, request);
    return wrong === undefined ? { kind: 'deliberate', rule } : { kind: 'different', where: wrong };
  }
  return { kind: 'different', where };
}

/**
 * Whether Galley alone refuses: what both do with less of the request does not explain that. A document that filters
 * leave out is not found.
 */
function isRefusalOfItsOwn(request: Request, reference: Answer, galley: Answer, { catalog }: Bench): boolean {
  if (galley.status < 400 || galley.status === reference.status) return false;
  return !(galley.status === 404 && isSingleRead(request, catalog));
}

async function explains(rule: Rule, bench: Bench, request: Request, galley: Answer): Promise<boolean> {
  if ('edited' in rule) return true;
  if ('without' in rule) return (await judge(bench, rule.without(request, bench))).kind !== 'different';
  return compareReads(await bench.pair.reference.send(rule.translated(request)), galley) === undefined;
}

/** The last of the rules by whose edits together the reference's answer becomes Galley's. */
function editedBy(bench: Bench, request: Request, reference: Answer, galley: Answer): Rule | undefined {
  let answer = reference;
  for (const rule of RULES) {
    if (!('edited' in rule) || !rule.applies(request, bench)) continue;
    answer = rule.edited(request, answer, galley, bench);
    if (compareReads(answer, galley) === undefined) return rule;
  }
  return undefined;
}

/** The reference broke: Galley refuses with a reason, or lists what the oracle expects. */
async function judgeAlone({ pair, oracle }: Bench, request: Request, galley: Answer): Promise<Verdict> {
  const error = pair.lastError();
  const { message } = (galley.body as { error?: { message?: string } }).error ?? {};
  if (galley.status >= 500 || (galley.status >= 400 && !message)) {
    return { kind: 'different', where: `status: 500 and ${galley.status}` };
  }
  const wrong = galley.status < 400 ? await oracle.wrong(pair.galley, request) : undefined;
  if (wrong !== undefined) return { kind: 'different', where: `500 there; ${wrong}` };
  return { kind: 'failed', error: `${error} → ${galley.status} ${(message ?? '').replaceAll(/\d+|"[^"]*"/g, '_')}` };
}

/** Drops parameters as long as the answers still differ, and by no rule. */
export async function minimise(bench: Bench, request: Request): Promise<{ request: Request; where: string }> {
  let smallest = request;
  let where = '';
  for (let again = true; again; ) {
    again = false;
    for (let index = smallest.params.length - 1; index >= 0; index--) {
      const candidate = { ...smallest, params: smallest.params.filter((_, other) => other !== index) };
      const verdict = await judge(bench, candidate);
      if (verdict.kind !== 'different') continue;
      [smallest, where, again] = [candidate, verdict.where, true];
    }
  }
  if (where !== '') return { request: smallest, where };
  const verdict = await judge(bench, smallest);
  return { request: smallest, where: verdict.kind === 'different' ? verdict.where : 'gone when asked again' };
}
