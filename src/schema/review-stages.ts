/** `reviewStages` of a schema file: the notation, and its form in the Catalog. */
import { isObject } from '../plain-values.ts';
import type { ReviewStages } from './catalog.ts';

/** The color of a stage without one, as in the reference. */
export const DEFAULT_STAGE_COLOR = '#4945FF';
/** A color as the reference accepts it. */
export const STAGE_COLOR = /^#(?:[0-9a-f]{3}){1,2}$/i;
/** Stages of a type, and characters of the name of one, as in the reference. */
export const MOST_STAGES = 200;
export const STAGE_NAME_LENGTH = 255;

/** The stages of a checked file. */
export function buildReviewStages(file: string, raw: unknown): ReviewStages {
  const { stages, requiredToPublish } = raw as Readonly<Record<string, unknown>>;
  const declared = (stages as readonly Readonly<Record<string, unknown>>[]).map((stage) =>
    Object.freeze({
      name: String(stage['name']).trim(),
      color: String(stage['color'] ?? DEFAULT_STAGE_COLOR),
      from: rolesOf(stage['from']),
      to: rolesOf(stage['to']),
    }),
  );
  const required = requiredToPublish === undefined ? undefined : String(requiredToPublish).trim();
  return Object.freeze({ file, stages: Object.freeze(declared), requiredToPublish: required });
}

const rolesOf = (value: unknown): readonly string[] =>
  Object.freeze(Array.isArray(value) ? [...new Set(value.map(String))] : []);

/** Whether a value is the name of a stage. */
export const isStageName = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= STAGE_NAME_LENGTH && !/\p{Cc}/u.test(value);

/** The name of a stage in a file; undefined for a wrong one. */
export const stageNameIn = (stage: unknown): string | undefined =>
  isObject(stage) && isStageName(stage['name']) ? stage['name'].trim() : undefined;
