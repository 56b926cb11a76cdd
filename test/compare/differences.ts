/** Which differences between two answers count, and which are deliberate. */
import { difference } from '../../bench/difference.ts';
import type { Oracle } from './oracle.ts';
import type { Answer, Pair, Request } from './servers.ts';

/** Lists of types without drafts: `authors`. */
export type WithoutDrafts = ReadonlySet<string>;

/** Where two answers to one request differ; undefined where they are equal as values. */
export type Compare = (reference: Answer, galley: Answer) => string | undefined;

/** A deliberate difference, told by the page for people who move. */
export interface Rule {
  readonly name: string;
  /** Words of the line of `docs/differences.md` that tells it. */
  readonly page: string;
  /** Whether the request is one that both answer differently by this rule. */
  readonly applies: (request: Request, reference: Answer, withoutDrafts: WithoutDrafts) => boolean;
  /** The request without what the rule is about: where both then agree, the rule explains the difference. */
  readonly without: (request: Request) => Request;
}

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
    applies: (request) =>
      mentions(/^locale(\[|=\*)|^filters\[locale\]/)(request) && mentions(/^populate.*(\*|localizations)/)(request),
    without: (request) =>
      withParams(request, (param) => (/^locale|^filters\[locale\]/.test(param) ? undefined : param)),
  },
  {
    name: 'drafts-behind',
    page: 'reaches a type with drafts from one without',
    applies: ({ path, params }, _reference, withoutDrafts) =>
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
    applies: (request) => mentions(/sort/)(request) && mentions(/fields/)(request),
    without: (request) => withParams(request, (param) => (param.includes('fields') ? undefined : param)),
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

/** What reads are judged by. */
export interface Bench {
  readonly pair: Pair;
  readonly oracle: Oracle;
  readonly withoutDrafts: WithoutDrafts;
}

/** Sends a request to both and judges their answers. What a rule explains must be right by the oracle. */
export async function judge(bench: Bench, request: Request): Promise<Verdict> {
  const { pair, oracle, withoutDrafts } = bench;
  const [reference, galley] = await Promise.all([pair.reference.send(request), pair.galley.send(request)]);
  const where = compareReads(reference, galley);
  if (where === undefined) return { kind: 'equal' };
  if (reference.status === 500) return judgeAlone(bench, request, galley);
  for (const rule of RULES) {
    if (!rule.applies(request, reference, withoutDrafts)) continue;
    const rest = await judge(bench, rule.without(request));
    if (rest.kind === 'different') continue;
    const wrong = await oracle.wrong(pair.galley, request);
    return wrong === undefined ? { kind: 'deliberate', rule } : { kind: 'different', where: wrong };
  }
  return { kind: 'different', where };
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
