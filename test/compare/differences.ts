/** Which differences between two answers count, and which are deliberate. */
import { difference } from '../../bench/difference.ts';
import type { Catalog } from '../../src/schema/catalog.ts';
import type { Oracle } from './oracle.ts';
import { editedAnswer, withoutKeys, withStatus, withVersions } from './read-edits.ts';
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
      readonly without: (request: Request) => Request;
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

/** A filter or sort key that goes through a relation. */
const THROUGH = /^filters(\[[^\]]+\]){3,}=|^sort.*=\w+\./;
/** A filter or sort key through the locale versions, wherever it stands. */
const LOCALIZATIONS = /filters.*\[localizations\]|sort.*=.*localizations\./;
/** Names what uses a file, or may. */
const RELATED = /^populate.*(related|\[populate\].*=\*)/;

/** In the order in which they are tried. */
export const RULES: readonly Rule[] = [
  {
    name: 'case',
    page: '`$contains`, `$notContains`, `$startsWith` and `$endsWith` tell letter case apart',
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
    page: 'a wrong operand inside `populate`',
    applies: mentions(/^populate.*filters/),
    edited: (_request, reference, galley) => {
      const { message = '' } = (galley.body as { error?: { message?: string } }).error ?? {};
      return reference.status === 404 && galley.status === 400 && message.startsWith('Invalid format')
        ? galley
        : reference;
    },
  },
  {
    name: 'one-of-several',
    page: 'which version a single read gives',
    applies: (request, { catalog }) =>
      isSingleRead(request, catalog) && mentions(/^filters\[locale\]/)(request) && mentions(/^sort/)(request),
    without: (request) => withParams(request, (param) => (param.startsWith('sort') ? undefined : param)),
  },
  {
    name: 'drafts-behind',
    page: 'reaches a type with drafts from one without',
    applies: ({ path, params }, { withoutDrafts }) =>
      withoutDrafts.has(path.split('/')[2] ?? '') && params.some((param) => THROUGH.test(param)),
    without: (request) => withParams(request, (param) => (THROUGH.test(param) ? undefined : param)),
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
  for (const rule of RULES) {
    if (!rule.applies(request, bench) || !(await explains(rule, bench, request, reference, galley))) continue;
    const wrong = await oracle.wrong(pair.galley, request);
    return wrong === undefined ? { kind: 'deliberate', rule } : { kind: 'different', where: wrong };
  }
  return { kind: 'different', where };
}

async function explains(
  rule: Rule,
  bench: Bench,
  request: Request,
  reference: Answer,
  galley: Answer,
): Promise<boolean> {
  if ('without' in rule) return (await judge(bench, rule.without(request))).kind !== 'different';
  const other =
    'edited' in rule
      ? rule.edited(request, reference, galley, bench)
      : await bench.pair.reference.send(rule.translated(request));
  return compareReads(other, galley) === undefined;
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
