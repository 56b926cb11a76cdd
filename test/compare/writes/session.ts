/** Plays episodes on both servers and compares the answer and the effects of each write. */
import type { Catalog } from '../../../src/schema/catalog.ts';
import { typesOf } from '../samples.ts';
import type { Answer, Pair, Request } from '../servers.ts';
import { ANSWER_RULES } from './answer-rules.ts';
import { comparedAnswers } from './answers.ts';
import { GAP_RULES } from './gap-rules.ts';
import { ABSENT, Names } from './names.ts';
import { REQUEST_RULES } from './request-rules.ts';
import type { Context, Look } from './rules.ts';
import { type Actor, fullPopulate, type Gap, gapsOf, masked, readState } from './state.ts';
import { createdBy, DEFAULT_LOCALE, type Episode, localeOf, requestOf, rowOf, type Step } from './step.ts';
import { isObject } from './walk.ts';

/** What one write showed. `over`: the two databases are no longer alike, so nothing can be told from further writes. */
export type Verdict =
  | { readonly kind: 'equal' }
  | { readonly kind: 'deliberate'; readonly rules: readonly string[]; readonly over: boolean }
  | { readonly kind: 'failed'; readonly error: string; readonly galley: Answer; readonly over: boolean }
  | { readonly kind: 'different'; readonly where: string };

export interface Played {
  /** A verdict for each step that was sent. */
  readonly verdicts: readonly Verdict[];
  /** A difference that only a look at the whole database shows, when the episode is over. */
  readonly left: string | undefined;
}

/** A write that was made, and what there was before it. */
interface Past {
  readonly step: Step;
  readonly context: Context;
}

export class Session {
  readonly #pair: Pair;
  readonly #catalog: Catalog;
  /** Times before this are of the origin, and equal on both sides. */
  readonly #since: string;

  /** Document ids of the origin. */
  readonly #origin: ReadonlySet<string>;

  constructor(pair: Pair, catalog: Catalog, origin: ReadonlySet<string>) {
    this.#pair = pair;
    this.#catalog = catalog;
    this.#since = new Date().toISOString();
    this.#origin = origin;
  }

  /** Puts both databases back and plays the episode up to its end or the first write after which nothing can be told. */
  async play(episode: Episode): Promise<Played> {
    this.#pair.restore();
    const reference = { side: this.#pair.reference, names: new Names(this.#origin), since: this.#since };
    const galley = { side: this.#pair.galley, names: new Names(this.#origin), since: this.#since };
    const verdicts: Verdict[] = [];
    const history: Past[] = [];
    for (const step of episode) {
      const context = await this.#context(step, galley);
      history.push({ step, context });
      const verdict = await this.#step(step, context, history, reference, galley);
      verdicts.push(verdict);
      if (verdict.kind === 'different' || ('over' in verdict && verdict.over)) return { verdicts, left: undefined };
    }
    return { verdicts, left: explained(history, await this.#look(undefined, reference, galley)).left };
  }

  async #step(
    step: Step,
    context: Context,
    history: readonly Past[],
    reference: Actor,
    galley: Actor,
  ): Promise<Verdict> {
    const rules: string[] = [];
    let translated = step;
    for (const rule of REQUEST_RULES) {
      if (!rule.applies(translated, context)) continue;
      rules.push(rule.name);
      if ('refused' in rule) return this.#refused(step, galley, rule.refused, rules);
      translated = rule.translate(translated, context);
    }
    const [theirs, ours] = await Promise.all([this.#send(translated, reference), this.#send(step, galley)]);
    if (theirs.status === 500) return this.#failed(step, ours, history, reference, galley);
    const look = await this.#look(touchedBy(step, this.#catalog, [theirs, ours]), reference, galley);
    const answers = edited(step, theirs, ours, look);
    if (answers.wrong !== undefined) {
      if (theirs.status === 400 && ours.status === 400 && (await this.#sharesMistake(step, theirs, look, galley))) {
        return { kind: 'deliberate', rules: ['first-mistake'], over: false };
      }
      return { kind: 'different', where: `answer ${answers.wrong}` };
    }
    const stored = explained([{ step, context }], look);
    if (stored.left !== undefined) return { kind: 'different', where: stored.left };
    rules.push(...answers.rules, ...stored.rules);
    if (rules.length === 0) return { kind: 'equal' };
    return { kind: 'deliberate', rules: [...new Set(rules)], over: look.gaps.length > 0 };
  }

  /** Whether Galley refuses for the reference's reason too, once some attribute is left out of the body. */
  async #sharesMistake(step: Step, theirs: Answer, look: Look, galley: Actor): Promise<boolean> {
    if (!isObject(step.data)) return false;
    for (const name of Object.keys(step.data)) {
      const { [name]: _, ...rest } = step.data;
      const again = await this.#send({ ...step, data: rest }, galley);
      // it was the only mistake, and the reference told another one
      if (again.status < 400) return false;
      if (edited(step, theirs, again, look).wrong === undefined) return true;
    }
    return false;
  }

  /** Galley alone is asked what it refuses on purpose: the reference would store it. */
  async #refused(step: Step, galley: Actor, message: RegExp, rules: readonly string[]): Promise<Verdict> {
    const before = await readState(this.#catalog, galley, undefined);
    const answer = await this.#send(step, galley);
    const { error } = (answer.body ?? {}) as { error?: { message?: string } };
    if (answer.status !== 400 || !message.test(String(error?.message))) {
      return {
        kind: 'different',
        where: `answer to what Galley refuses by ${rules.at(-1)}: ${JSON.stringify(answer)}`,
      };
    }
    const gap = gapsOf(before, await readState(this.#catalog, galley, undefined))[0];
    if (gap) return { kind: 'different', where: `a refused write left something: ${described(gap)}` };
    return { kind: 'deliberate', rules, over: false };
  }

  /** The reference broke: Galley may refuse, which leaves both as they were, or do it. */
  async #failed(step: Step, ours: Answer, history: readonly Past[], reference: Actor, galley: Actor): Promise<Verdict> {
    if (ours.status >= 500) return { kind: 'different', where: `answer .status: 500 and ${ours.status}` };
    const done = ours.status < 400;
    const { left } = done ? { left: undefined } : explained(history, await this.#look(undefined, reference, galley));
    if (left !== undefined) return { kind: 'different', where: `after a 500: ${left}` };
    const lost = done ? await this.#lost(step, galley) : undefined;
    if (lost !== undefined) return { kind: 'different', where: `after a 500, what Galley stored: ${lost}` };
    return { kind: 'failed', error: `${step.method} ${this.#pair.lastError()}`, galley: ours, over: done };
  }

  /** A text of the body that the draft does not hold after a write that the reference could not make. */
  async #lost(step: Step, galley: Actor): Promise<string | undefined> {
    const { type, data } = step;
    if (!isObject(data)) return undefined;
    const document = step.document ?? createdBy(step.number);
    const state = await readState(this.#catalog, galley, new Map([[type.uid, new Set([document])]]));
    const locale = type.localized ? (localeOf(step) ?? DEFAULT_LOCALE) : undefined;
    const status = type.draftAndPublish ? 'draft' : 'published';
    const rows = [...state].filter(([key]) => key.endsWith(` ${status} ${locale ?? '-'}`));
    const row = rows.find(([key]) => type.kind === 'singleType' || key.split(' ')[1] === document)?.[1].content;
    const texts = Object.entries(data).filter(([name]) => type.attributes.get(name)?.type === 'string');
    const lost = texts.find(([name, value]) => !row || row[name] !== value);
    return lost?.[0];
  }

  async #context(step: Step, galley: Actor): Promise<Context> {
    const { type, document } = step;
    const wanted = new Map([[type.uid, new Set([document ?? ABSENT])]]);
    const stored = step.method === 'POST' ? new Map() : await readState(this.#catalog, galley, wanted);
    return { catalog: this.#catalog, stored, rows: await this.#rowsIn(requestOf(step), galley) };
  }

  async #send(step: Step, actor: Actor): Promise<Answer> {
    const { side, names } = actor;
    const request = requestOf(step);
    const draft = JSON.stringify(request.body ?? null).includes('"@part') ? await this.#draftOf(step, actor) : {};
    const rows = await this.#rowsIn(request, actor);
    const bound = names.bind(request, (name) =>
      name.startsWith('@row ') ? (rows.get(name) ?? 987654) : (valueAt(draft, name.slice('@part '.length)) ?? 987654),
    );
    const answer = await side.send(bound);
    const created = (answer.body as { data?: { documentId?: unknown } } | null)?.data?.documentId;
    if (typeof created === 'string' && !names.knows(created)) names.set(createdBy(step.number), created);
    const { status, body } = names.named(answer);
    return { status, body: masked(body, this.#since) };
  }

  /** The stored draft, with its row ids. */
  async #draftOf(step: Step, { side, names }: Actor): Promise<unknown> {
    const locale = localeOf(step);
    const params = ['status=draft', ...(locale === undefined ? [] : [`locale=${locale}`])];
    const request = requestOf({
      ...step,
      method: 'DELETE',
      params: [...params, ...fullPopulate(this.#catalog, step.type, 'populate')],
    });
    const { body } = await side.send({ ...names.bind(request, () => undefined), method: 'GET' });
    return (body as { data?: unknown } | null)?.data ?? {};
  }

  /** Row ids by name, for the rows that a request names. */
  async #rowsIn({ body }: Request, { side, names }: Actor): Promise<Map<string, number>> {
    const rows = new Map<string, number>();
    const named = new Set(JSON.stringify(body ?? null).match(/@row [^"]+/g));
    if (named.size === 0) return rows;
    for (const type of typesOf(this.#catalog)) {
      if (type.kind === 'singleType') continue;
      const ids = [...named].map((name) => names.idOf(name.slice('@row '.length)));
      const params = [
        'status=draft',
        'fields=documentId',
        ...ids.map((id, i) => `filters[documentId][$in][${i}]=${id}`),
      ];
      const answer = names.named(await side.send({ method: 'GET', path: `/api/${type.pluralName}`, params }));
      for (const { id, documentId } of (answer.body as { data: { id: number; documentId: string }[] }).data) {
        rows.set(rowOf(documentId), id);
      }
    }
    return rows;
  }

  async #look(
    touched: ReadonlyMap<string, ReadonlySet<string>> | undefined,
    reference: Actor,
    galley: Actor,
  ): Promise<Look> {
    const [left, right] = await Promise.all([
      readState(this.#catalog, reference, touched),
      readState(this.#catalog, galley, touched),
    ]);
    const gaps = gapsOf(left, right);
    // what explains a difference may stand in documents that the write did not name
    const whole = gaps.length > 0 && touched !== undefined;
    return { gaps, galley: whole ? await readState(this.#catalog, galley, undefined) : right };
  }
}

/** The rules that explain what is stored differently after some writes, and the first difference that none explains. */
function explained(
  history: readonly Past[],
  look: Look,
): { readonly left: string | undefined; readonly rules: readonly string[] } {
  const rules: string[] = [];
  for (const gap of look.gaps) {
    const rule = GAP_RULES.find(({ applies }) =>
      history.some(({ step, context }) => applies(step, gap, look, context)),
    );
    if (!rule) return { left: described(gap), rules };
    rules.push(rule.name);
  }
  return { left: undefined, rules };
}

/** The answers, without what rules explain. */
function edited(
  step: Step,
  theirs: Answer,
  ours: Answer,
  look: Look,
): { readonly wrong: string | undefined; readonly rules: readonly string[] } {
  const rules: string[] = [];
  let answers = { reference: theirs, galley: ours };
  for (const rule of ANSWER_RULES) {
    if (comparedAnswers(answers.reference, answers.galley) === undefined) break;
    const next = rule.edit(step, answers, look);
    if (next === undefined) continue;
    answers = next;
    rules.push(rule.name);
  }
  return { wrong: comparedAnswers(answers.reference, answers.galley), rules };
}

/** The documents that a write is about: its own, and those that its body or its answers name. */
function touchedBy(step: Step, catalog: Catalog, answers: readonly Answer[]): Map<string, Set<string>> {
  const texts = JSON.stringify([requestOf(step), answers]).match(/@\d+|\b[a-z0-9]{24}\b/g) ?? [];
  const named = new Set(step.document === undefined ? texts : [...texts, step.document]);
  if (step.method === 'POST') named.add(createdBy(step.number));
  const related = new Set([step.type.uid]);
  for (const model of [step.type, ...catalog.components.values()]) {
    for (const attribute of model.attributes.values()) {
      if (attribute.type === 'relation' && attribute.target !== undefined) related.add(attribute.target);
    }
  }
  return new Map([...related].map((uid) => [uid, named]));
}

/** What stands at a path like `zone.0.id`; a component itself stands for its row id. */
function valueAt(value: unknown, path: string): unknown {
  const found = path
    .split('.')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | null | undefined)?.[key], value);
  return typeof found === 'object' && found !== null ? (found as { id?: unknown }).id : found;
}

const described = ({ row, attribute, reference, galley }: Gap): string =>
  `stored ${row}${attribute === undefined ? '' : ` .${attribute}`}: ${shown(reference)} and ${shown(galley)}`;

const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 400) ?? 'nothing';
