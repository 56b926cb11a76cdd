/** A project with every kind of relation between types with and without drafts and locales. */
import { contentType, makeProject, type ProjectFolder } from '../support/servers/project.ts';

const relation = (kind: string, target: string | undefined, more: object = {}) => ({
  type: 'relation',
  relation: kind,
  ...(target ? { target: `api::${target}.${target}` } : {}),
  ...more,
});
const text = { type: 'string' };
const localized = { pluginOptions: { i18n: { localized: true } } };
const drafts = { options: { draftAndPublish: true } };

const alpha = {
  name: text,
  mm: relation('manyToMany', 'beta', { inversedBy: 'mmBack' }),
  mo: relation('manyToOne', 'beta', { inversedBy: 'moBack' }),
  oo: relation('oneToOne', 'beta', { inversedBy: 'ooBack' }),
  list: relation('oneToMany', 'beta'),
  one: relation('oneToOne', 'beta'),
  column: relation('manyToOne', 'beta', { useJoinTable: false, inversedBy: 'columnBack' }),
  columnMate: relation('oneToOne', 'beta', { useJoinTable: false, inversedBy: 'columnMateBack' }),
  kin: relation('manyToMany', 'alpha', { inversedBy: 'kinBack' }),
  kinBack: relation('manyToMany', 'alpha', { mappedBy: 'kin' }),
  mate: relation('oneToOne', 'alpha', { inversedBy: 'mateBack' }),
  mateBack: relation('oneToOne', 'alpha', { mappedBy: 'mate' }),
  plains: relation('manyToMany', 'gamma', { inversedBy: 'alphas' }),
  plain: relation('manyToOne', 'gamma', { inversedBy: 'ofPlain' }),
  plainMate: relation('oneToOne', 'gamma', { inversedBy: 'alphaMate' }),
  subject: relation('morphToOne', undefined),
  mentions: relation('morphToMany', undefined),
  box: { type: 'component', component: 'model.box' },
  boxes: { type: 'component', component: 'model.box', repeatable: true },
  zone: { type: 'dynamiczone', components: ['model.box', 'model.card'] },
};
const beta = {
  name: text,
  mmBack: relation('manyToMany', 'alpha', { mappedBy: 'mm' }),
  moBack: relation('oneToMany', 'alpha', { mappedBy: 'mo' }),
  ooBack: relation('oneToOne', 'alpha', { mappedBy: 'oo' }),
  columnBack: relation('oneToMany', 'alpha', { mappedBy: 'column', useJoinTable: false }),
  columnMateBack: relation('oneToOne', 'alpha', { mappedBy: 'columnMate', useJoinTable: false }),
  gammas: relation('manyToMany', 'gamma', { mappedBy: 'betas' }),
  gammaMate: relation('oneToOne', 'gamma', { mappedBy: 'betaMate' }),
};
const gamma = {
  name: text,
  alphas: relation('manyToMany', 'alpha', { mappedBy: 'plains' }),
  ofPlain: relation('oneToMany', 'alpha', { mappedBy: 'plain' }),
  alphaMate: relation('oneToOne', 'alpha', { mappedBy: 'plainMate' }),
  betas: relation('manyToMany', 'beta', { inversedBy: 'gammas' }),
  betaMate: relation('oneToOne', 'beta', { inversedBy: 'gammaMate' }),
  list: relation('oneToMany', 'beta'),
  one: relation('oneToOne', 'alpha'),
  page: relation('oneToMany', 'page'),
  subject: relation('morphToOne', undefined),
  column: relation('manyToOne', 'alpha', { useJoinTable: false }),
  mentions: relation('morphToMany', undefined),
  box: { type: 'component', component: 'model.box' },
};
const page = {
  title: { ...text, ...localized },
  number: text,
  betas: relation('manyToMany', 'beta'),
  next: relation('oneToOne', 'page', { inversedBy: 'previous' }),
  previous: relation('oneToOne', 'page', { mappedBy: 'next' }),
  pages: relation('oneToMany', 'page'),
  note: relation('manyToOne', 'note', { inversedBy: 'pages' }),
  box: { type: 'component', component: 'model.card' },
  boxes: { type: 'component', component: 'model.box', repeatable: true, ...localized },
};
const note = {
  title: { ...text, ...localized },
  number: text,
  pages: relation('oneToMany', 'page', { mappedBy: 'note' }),
  cards: { type: 'component', component: 'model.card', repeatable: true },
};

const components = {
  'model.box': {
    collectionName: 'components_model_boxes',
    info: { displayName: 'box' },
    attributes: {
      label: text,
      target: relation('oneToOne', 'beta'),
      targets: relation('oneToMany', 'alpha'),
      cards: { type: 'component', component: 'model.card', repeatable: true },
    },
  },
  'model.card': {
    collectionName: 'components_model_cards',
    info: { displayName: 'card' },
    attributes: { label: text, target: relation('manyToMany', 'beta') },
  },
};

/** Writes the project into a temporary folder. */
export function makeModelProject(): Promise<ProjectFolder> {
  return makeProject({
    contentTypes: {
      alpha: contentType('alpha', alpha, drafts),
      beta: contentType('beta', beta, drafts),
      gamma: contentType('gamma', gamma),
      page: contentType('page', page, { ...drafts, ...localized }),
      note: contentType('note', note, localized),
    },
    components,
    files: { 'config/api.json': { rest: { maxLimit: 1000 } } },
  });
}

/** Two types with drafts and little else than relations to each other: their edits meet in almost every step. */
export function makePairsProject(): Promise<ProjectFolder> {
  const { mm, mo, oo, column, columnMate, kin, kinBack } = alpha;
  const { mmBack, moBack, ooBack, columnBack, columnMateBack } = beta;
  return makeProject({
    contentTypes: {
      alpha: contentType('alpha', { mm, mo, oo, column, columnMate, kin, kinBack }, drafts),
      beta: contentType('beta', { mmBack, moBack, ooBack, columnBack, columnMateBack }, drafts),
    },
    files: { 'config/api.json': { rest: { maxLimit: 1000 } } },
  });
}
