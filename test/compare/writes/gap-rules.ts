/** Deliberate differences in the effects of a write. */
import { isDeepStrictEqual } from 'node:util';
import { type ContentType, modelOf } from '../../../src/schema/catalog.ts';
import { type Context, type Look, makesVersion, type Named } from './rules.ts';
import { type Gap, keyOf, type State } from './state.ts';
import { DEFAULT_LOCALE, LOCALES, localeOf, paramOf, type Step } from './step.ts';
import { isObject } from './walk.ts';

export interface GapRule extends Named {
  /** Whether this one difference is by this rule. */
  readonly applies: (step: Step, gap: Gap, look: Look, context: Context) => boolean;
}

export const GAP_RULES: readonly GapRule[] = [
  {
    name: 'spread-times',
    page: 'a write in one locale updates `updatedAt` of the others',
    applies: (step, gap, { galley }, { stored }) => {
      if (gap.attribute !== 'updatedAt' || !isOtherVersion(step, gap)) return false;
      const [before, now] = [stored.get(gap.row)?.content, galley.get(gap.row)?.content];
      const shared = [...step.type.attributes.values()].filter(({ localized }) => !localized);
      const changed = shared.some(({ name }) => !isDeepStrictEqual(before?.[name], now?.[name]));
      return before?.['updatedAt'] === gap.galley && (gap.row.includes(' published ') || !changed);
    },
  },
  {
    name: 'shared',
    page: 'a shared attribute that is published reaches',
    applies: (step, gap, { galley }) => {
      if (!isOtherVersion(step, gap) || step.type.attributes.get(gap.attribute ?? '')?.localized !== false)
        return false;
      const [uid = '', document = ''] = gap.row.split(' ');
      const written = galley.get(keyOf(uid, document, 'draft', localeOf(step) ?? DEFAULT_LOCALE));
      return isDeepStrictEqual(written?.content[gap.attribute!], gap.galley);
    },
  },
  {
    name: 'taken-in-draft',
    page: 'a link created or removed only in a draft',
    // a link that a draft takes from another document still stands where that one is published
    applies: (step, { row, attribute = '', reference, galley }, _look, { catalog }) => {
      const [uid = '', document = ''] = row.split(' ');
      const type = catalog.contentTypes.get(uid);
      const relation = type?.attributes.get(attribute);
      if (type?.draftAndPublish !== false || relation?.type !== 'relation' || relation.target !== step.type.uid)
        return false;
      const taken = JSON.stringify(Object(step.data)[relation.inverse ?? ''] ?? null).includes(document);
      const other = isObject(galley) && galley['documentId'] !== step.document;
      return paramOf(step, 'status') === 'draft' && taken && other && reference === null;
    },
  },
  {
    name: 'inherited',
    page: 'a draft version copies shared attributes',
    applies: (step, gap, { galley }, context) => {
      const { attribute = '', row } = gap;
      if (!makesVersion(step, context) || isOtherVersion(step, gap)) return false;
      if (step.type.attributes.get(attribute)?.localized !== false || Object.hasOwn(Object(step.data), attribute))
        return false;
      const [uid = '', document = ''] = row.split(' ');
      const drafts = LOCALES.map((locale) => galley.get(keyOf(uid, document, 'draft', locale)));
      return drafts.every((draft) => !draft || isDeepStrictEqual(draft.content[attribute], gap.galley));
    },
  },
  {
    name: 'waiting-links',
    page: 'a link created or removed only in a draft',
    applies: (_step, gap, { galley }, { catalog }) =>
      some(differing(gap, galley, catalog.contentTypes), (link) => link.shown !== link.drafted && link.pending),
  },
  {
    name: 'morph-status',
    page: 'relations to any type are populated with rows of either status',
    applies: (_step, gap, _look, { catalog }) => withStatus(gap, catalog.contentTypes) !== undefined,
  },
  {
    name: 'draft-order',
    page: 'a target that is published for the first time',
    applies: (_step, gap, { galley }, { catalog }) => differing(gap, galley, catalog.contentTypes).length === 0,
  },
  {
    name: 'late-links',
    page: 'a target that is published later shows at once',
    applies: (step, { row, attribute = '', reference, galley: ours }, { galley }) => {
      const [uid = '', document = '', status, locale] = row.split(' ');
      if (paramOf(step, 'status') === 'draft' || status !== 'published') return false;
      return areLate(reference, ours, galley.get(keyOf(uid, document, 'draft', locale))?.content[attribute]);
    },
  },
  {
    name: 'kept-links',
    page: 'links are kept',
    applies: (step, gap, { galley }, { catalog }) =>
      paramOf(step, 'status') !== 'draft' &&
      some(differing(gap, galley, catalog.contentTypes), ({ shown, drafted }) => shown && drafted),
  },
];

/** Whether components differ only in links that the reference lacks, and that the draft has at the same place. */
function areLate(reference: unknown, galley: unknown, draft: unknown): boolean {
  if (isDeepStrictEqual(reference, galley)) return true;
  if (isObject(galley) && 'documentId' in galley) {
    return reference === null && isObject(draft) && draft['documentId'] === galley['documentId'];
  }
  if (Array.isArray(galley) && Array.isArray(reference) && Array.isArray(draft)) {
    if (!galley.every((item) => isObject(item) && 'documentId' in item)) {
      return galley.length === reference.length && galley.every((item, i) => areLate(reference[i], item, draft[i]));
    }
    const drafted = new Set(draft.map(({ documentId }) => documentId));
    const late = galley.filter((item) => !reference.some((other) => isDeepStrictEqual(other, item)));
    const rest = galley.filter((item) => !late.includes(item));
    return isDeepStrictEqual(rest, reference) && late.every(({ documentId }) => drafted.has(documentId));
  }
  if (!isObject(galley) || !isObject(reference) || !isObject(draft)) return false;
  return Object.keys(galley).every((key) => areLate(reference[key], galley[key], draft[key]));
}

/** Galley's rows of a relation to any type, where they are the reference's of the status that is read. */
function withStatus({ row, attribute, reference, galley }: Gap, types: ReadonlyMap<string, ContentType>): unknown {
  const [uid = '', , status] = row.split(' ');
  const relation = types.get(uid)?.attributes.get(attribute ?? '');
  if (relation?.type !== 'relation' || relation.target !== undefined || !Array.isArray(reference)) return undefined;
  const fitting = reference.filter(
    ({ __type, publishedAt }) => !types.get(__type)?.draftAndPublish || (publishedAt === null) === (status === 'draft'),
  );
  return isDeepStrictEqual(fitting, galley) ? galley : undefined;
}

/** Whether there are links and a test is true of each. */
const some = (links: readonly Link[], test: (link: Link) => boolean): boolean => links.length > 0 && links.every(test);

/** Whether a row is of the document that is written, in another locale. */
function isOtherVersion(step: Step, { row }: Gap): boolean {
  const [uid, document, , locale] = row.split(' ');
  return (
    uid === step.type.uid &&
    (step.document === undefined || document === step.document) &&
    locale !== (localeOf(step) ?? DEFAULT_LOCALE)
  );
}

/** A link that one side shows and the other does not. */
interface Link {
  /** Whether Galley's published row shows it. */
  readonly shown: boolean;
  /** Whether Galley's draft has it. */
  readonly drafted: boolean;
  /** Whether a draft of one of the two documents has changed since its publication, or was never published. */
  readonly pending: boolean;
}

type Linked = { readonly documentId: string; readonly locale?: string; readonly __type?: string };

/**
 * The links in which a relation of a published row differs; one that no rule explains where it is no such relation, or
 * in an order that is neither's nor the draft's.
 */
function differing(
  { row, attribute, reference, galley }: Gap,
  state: State,
  types: ReadonlyMap<string, ContentType>,
): readonly Link[] {
  const none: readonly Link[] = [{ shown: false, drafted: false, pending: false }];
  const [uid = '', document = '', status, locale] = row.split(' ');
  const relation =
    attribute === undefined
      ? undefined
      : modelOf({ contentTypes: types, components: new Map() }, uid).attributes.get(attribute);
  if (status !== 'published' || relation?.type !== 'relation') return none;
  const nameOf = (one: Linked) => `${one.__type ?? relation.target} ${one.documentId} ${one.locale ?? '-'}`;
  const namesIn = (value: unknown) =>
    [value]
      .flat()
      .filter(isObject)
      .map((one) => nameOf(one as unknown as Linked));
  const [theirs, ours] = [namesIn(reference), namesIn(galley)];
  const drafted = namesIn(state.get(keyOf(uid, document, 'draft', locale))?.content[attribute!]);
  const common = (from: readonly string[], to: readonly string[]) => from.filter((name) => to.includes(name));
  const inOrder = isDeepStrictEqual(common(theirs, ours), common(ours, theirs));
  if (!inOrder && !isDeepStrictEqual(common(ours, drafted), common(drafted, ours))) return none;
  const apart = [...theirs.filter((name) => !ours.includes(name)), ...ours.filter((name) => !theirs.includes(name))];
  return apart.map((name) => {
    const [target = '', other = '', otherLocale] = name.split(' ');
    return {
      shown: ours.includes(name),
      drafted: drafted.includes(name),
      pending: isPending(state, uid, document, locale) || isPending(state, target, other, otherLocale),
    };
  });
}

/** Whether a draft is not what is published. */
function isPending(state: State, uid: string, document: string, locale: string | undefined): boolean {
  const draft = state.get(keyOf(uid, document, 'draft', locale));
  const published = state.get(keyOf(uid, document, 'published', locale));
  return draft !== undefined && draft.updatedAt !== published?.updatedAt;
}
