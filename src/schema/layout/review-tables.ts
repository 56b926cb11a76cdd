/**
 * The tables of review stages, with the names, columns and indexes of Strapi 5: the workflows and their stages, and for
 * a type with stages the links of its rows to a stage and to the administrator who is responsible.
 */
import { buildContentType } from '../build.ts';
import { BUILT_IN, type RawSchema } from '../built-in.ts';
import { ADMIN_USER_UID, type ContentType, modelOf, type RelationAttribute } from '../catalog.ts';
import { layOut } from './layout.ts';
import { type LinkNames, linkNames, short } from './naming.ts';
import type { TableDefinition } from './table.ts';
import { linkTable } from './tables.ts';

const WORKFLOW_UID = 'plugin::review-workflows.workflow';
const STAGE_UID = 'plugin::review-workflows.workflow-stage';
export const WORKFLOWS_TABLE = 'strapi_workflows';
export const STAGES_TABLE = 'strapi_workflows_stages';

const SCHEMAS: ReadonlyMap<string, RawSchema> = new Map<string, RawSchema>([
  ...BUILT_IN,
  [
    WORKFLOW_UID,
    {
      collectionName: WORKFLOWS_TABLE,
      info: { singularName: 'workflow', pluralName: 'workflows', displayName: 'Workflow' },
      attributes: {
        name: { type: 'string' },
        stages: { type: 'relation', relation: 'oneToMany', target: STAGE_UID, mappedBy: 'workflow' },
        stageRequiredToPublish: { type: 'relation', relation: 'oneToOne', target: STAGE_UID },
        contentTypes: { type: 'json' },
      },
    },
  ],
  [
    STAGE_UID,
    {
      collectionName: STAGES_TABLE,
      info: { singularName: 'workflow-stage', pluralName: 'workflow-stages', displayName: 'Stages' },
      attributes: {
        name: { type: 'string' },
        color: { type: 'string' },
        workflow: { type: 'relation', relation: 'manyToOne', target: WORKFLOW_UID, inversedBy: 'stages' },
        permissions: { type: 'relation', relation: 'manyToMany', target: 'admin::permission' },
      },
    },
  ],
]);

const CHECKED = {
  leaveOut: new Set<string>(),
  alone: new Set<string>(),
  hidden: [],
  strictRelations: false,
  firstPublishedAt: false,
  components: new Set<string>(),
  reviewStages: false,
};

const catalog = {
  contentTypes: new Map(
    [...SCHEMAS].map(([uid, raw]) => [
      uid,
      buildContentType({ role: 'builtIn', uid, extended: false, file: uid, raw }, CHECKED),
    ]),
  ),
  components: new Map<string, never>(),
};

/** The tables of workflows and stages, which every database has. */
export const WORKFLOW_TABLES: readonly TableDefinition[] = layOut(catalog).tables.filter(
  ({ owner }) => owner?.uid === WORKFLOW_UID || owner?.uid === STAGE_UID,
);

const toOne = (name: string, target: string): RelationAttribute => ({
  type: 'relation',
  name,
  required: false,
  private: true,
  localized: true,
  relation: 'oneToOne',
  target,
  inverse: undefined,
  namesInverse: false,
  owner: true,
  morphBy: undefined,
  useJoinTable: true,
});
const STAGE = toOne('strapi_stage', STAGE_UID);
const ASSIGNEE = toOne('strapi_assignee', ADMIN_USER_UID);

/** Where the rows of a type have their stage and their assignee. */
export interface ReviewLinks {
  readonly table: string;
  readonly stage: LinkNames;
  readonly assignee: LinkNames;
}

/** The link tables of a type. */
export function reviewLinksOf(type: ContentType): ReviewLinks {
  return {
    table: short(type.collectionName),
    stage: linkNames(type, STAGE, modelOf(catalog, STAGE_UID)),
    assignee: linkNames(type, ASSIGNEE, modelOf(catalog, ADMIN_USER_UID)),
  };
}

/** The definitions of the link tables of a type. */
export function reviewLinkTables(type: ContentType): readonly TableDefinition[] {
  const { table, stage, assignee } = reviewLinksOf(type);
  return [
    linkTable(type, STAGE.name, stage, table, STAGES_TABLE),
    linkTable(type, ASSIGNEE.name, assignee, table, short(modelOf(catalog, ADMIN_USER_UID).collectionName)),
  ];
}
