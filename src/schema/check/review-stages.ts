/** Checks `reviewStages` of a schema file (docs/reference/schemas.md, "Review stages"). */
import { isObject } from '../../plain-values.ts';
import { child } from '../build.ts';
import type { SchemaSource } from '../files.ts';
import { MOST_STAGES, STAGE_COLOR, STAGE_NAME_LENGTH, stageNameIn } from '../review-stages.ts';
import type { Findings } from './problem.ts';

const KEYS = ['stages', 'requiredToPublish'];
const STAGE_KEYS = ['name', 'color', 'from', 'to'];

/** Reports the mistakes of `reviewStages`. Returns whether the file declares stages, all of them right. */
export function checkReviewStages(source: SchemaSource, findings: Findings): boolean {
  const { file, raw, role } = source;
  const { reviewStages: value } = raw;
  if (value === undefined || role === 'component') return false;
  const before = findings.problems.length;
  const problem = (at: readonly (string | number)[], message: string, word?: string, known?: Iterable<string>) =>
    findings.problem(file, ['reviewStages', ...at], message, word, known);
  if (role !== 'contentType') problem([], 'only content types of the project have stages of review');
  else if (!isObject(value)) problem([], 'must be an object with stages');
  else {
    unknownKeys(value, KEYS, (key) => problem([key], `unknown key ${key}`, key, KEYS));
    const names = checkStages(value['stages'], problem);
    checkRequired(value['requiredToPublish'], names, problem);
    if (value['requiredToPublish'] !== undefined && child(raw, 'options')['draftAndPublish'] !== true) {
      problem(['requiredToPublish'], 'needs options.draftAndPublish: documents of this type are always published');
    }
    if (child(raw, 'options')['noStageAttribute'] === true) {
      problem([], 'contradicts options.noStageAttribute: Strapi stores no stage for such a type');
    }
  }
  return findings.problems.length === before;
}

type Report = (at: readonly (string | number)[], message: string, word?: string, known?: Iterable<string>) => void;

/** Returns the names of the stages. */
function checkStages(stages: unknown, problem: Report): readonly string[] {
  if (!Array.isArray(stages) || stages.length === 0 || stages.length > MOST_STAGES) {
    problem(['stages'], `must be a list of 1 to ${MOST_STAGES} stages`);
    return [];
  }
  const names: string[] = [];
  stages.forEach((stage: unknown, index) => {
    const at = ['stages', index] as const;
    if (!isObject(stage)) {
      problem(at, 'must be an object with a name');
      return;
    }
    unknownKeys(stage, STAGE_KEYS, (key) => problem([...at, key], `unknown key ${key}`, key, STAGE_KEYS));
    const name = stageNameIn(stage);
    if (name === undefined) {
      problem([...at, 'name'], `must be a text of 1 to ${STAGE_NAME_LENGTH} characters, without control characters`);
    } else if (names.includes(name)) problem([...at, 'name'], `another stage is named ${name}`);
    else names.push(name);
    const { color } = stage;
    if (color !== undefined && !(typeof color === 'string' && STAGE_COLOR.test(color))) {
      problem([...at, 'color'], 'must be a color such as #4945FF');
    }
    for (const key of ['from', 'to']) checkRoles(stage[key], [...at, key], problem);
  });
  return names;
}

function checkRoles(value: unknown, at: readonly (string | number)[], problem: Report): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) {
    problem(at, "must be a list of codes of administrators' roles, such as strapi-editor");
    return;
  }
  value.forEach((role: unknown, index) => {
    if (typeof role !== 'string' || role === '' || role.length > STAGE_NAME_LENGTH) {
      problem([...at, index], "must be the code of an administrators' role, such as strapi-editor");
    }
  });
}

function checkRequired(value: unknown, names: readonly string[], problem: Report): void {
  if (value === undefined) return;
  if (typeof value !== 'string') problem(['requiredToPublish'], 'must be the name of a stage');
  else if (!names.includes(value.trim())) problem(['requiredToPublish'], `there is no stage ${value}`, value, names);
}

function unknownKeys(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  report: (key: string) => void,
): void {
  for (const key of Object.keys(value)) if (!known.includes(key)) report(key);
}
