/**
 * Checks a project's schema files and builds their Catalog. All mistakes are reported at once, each with its file, its
 * place in the file and the nearest valid word.
 */
import { isObject } from '../../plain-values.ts';
import { buildComponent, buildContentType, child, collectionNameOf, uidOf, type Verdict } from '../build.ts';
import { type Attribute, type Catalog, type Component, type ContentType, FIRST_PUBLISHED } from '../catalog.ts';
import { recordedSources } from '../editing/record.ts';
import { type OwnSchemas, readSchemaFiles, type SchemaChange, type SchemaSource } from '../files.ts';
import { checkAttribute, isOvershadowed, type Names } from './attribute.ts';
import { checkModel } from './model.ts';
import { checkApiIds, checkPhysicalNames } from './names.ts';
import { Findings, type Problem } from './problem.ts';
import { checkRelation } from './relations.ts';
import { checkReviewStages } from './review-stages.ts';

export interface SchemaCheck {
  /** Undefined if there are problems. */
  readonly catalog: Catalog | undefined;
  /** The Catalog of all correct parts. */
  readonly partial: Catalog;
  /** Mistakes that prevent a start. */
  readonly problems: readonly Problem[];
  /** The schemas as they are written, without changes of the project's code. */
  readonly sources: readonly SchemaSource[];
  /** Warnings about probable mistakes, above all unknown options. */
  readonly warnings: readonly Problem[];
}

/** Settings of the configuration for schemas. */
export interface SchemaOptions extends OwnSchemas {
  /** Names of attributes that are private in every model: `api.responses.privateAttributes`. */
  readonly privateAttributes?: readonly string[];
  /** Whether `required` applies to relations and media: `api.documents.strictRelations`. */
  readonly strictRelations?: boolean;
  /** Whether types with drafts have `firstPublishedAt`: `features.future.experimental_firstPublishedAt`. */
  readonly firstPublishedAt?: boolean;
}

/** Checks all schema files of a project folder. @throws UsageError if the folder does not exist or is not a project. */
export function checkSchemas(
  dir: string,
  { privateAttributes = [], strictRelations = false, firstPublishedAt = false, ...own }: SchemaOptions = {},
): SchemaCheck {
  const findings = new Findings();
  const { sources: written, unread } = readSchemaFiles(dir, findings, own);
  const sources = own.record ? recordedSources(own.record, written, uidOf) : changedBy(written, own.changes ?? []);
  const contentTypes = new Set(sources.filter(({ role }) => role !== 'component').map(uidOf));
  const names: Names = {
    contentTypes,
    components: new Set(sources.filter(({ role }) => role === 'component').map(uidOf)),
    isUnread: (uid) =>
      typeof uid === 'string' &&
      (unread.has(uid) || (!contentTypes.has(uid) && unread.has(uid.replace(/\.[^.]*$/, '.*')))),
  };
  const types = new Map(
    sources
      .filter(({ role }) => role !== 'component')
      .map((source) => [uidOf(source), child(source.raw, 'attributes')]),
  );
  checkApiIds(sources, findings);

  const verdicts = new Map<SchemaSource, Verdict>();
  for (const source of sources) {
    checkModel(source, findings);
    if (firstPublishedAt) checkFirstPublished(source, findings);
    const attributes = checkAttributes(source, names, types, findings);
    const reviewStages = checkReviewStages(source, findings);
    verdicts.set(source, { ...attributes, hidden: privateAttributes, strictRelations, firstPublishedAt, reviewStages });
  }

  // the whole is checked without the wrong parts, so that one mistake hides no other
  const catalog = buildCatalog(sources, verdicts);
  const files = new Map(sources.map((source) => [uidOf(source), source.file]));
  const fileOf = (uid: string): string => files.get(uid)!;
  checkPhysicalNames(catalog, fileOf, findings);
  checkComponentCircles(catalog, fileOf, findings);

  const { problems, warnings } = findings;
  return { catalog: problems.length > 0 ? undefined : catalog, partial: catalog, sources: written, problems, warnings };
}

/** Schemas with the changes of the project's code. */
function changedBy(sources: readonly SchemaSource[], changes: readonly SchemaChange[]): SchemaSource[] {
  const byUid = new Map(changes.map((change) => [change.uid, change]));
  return sources.map((source) => {
    const change = byUid.get(uidOf(source));
    if (!change) return source;
    const { options, pluginOptions } = change;
    const attributes = Object.entries({ ...child(source.raw, 'attributes'), ...change.attributes });
    const raw = {
      ...source.raw,
      attributes: Object.fromEntries(attributes.filter(([, attribute]) => attribute !== undefined)),
      ...(options ? { options: { ...child(source.raw, 'options'), ...options } } : {}),
      ...(pluginOptions ? { pluginOptions: { ...child(source.raw, 'pluginOptions'), ...pluginOptions } } : {}),
    };
    return source.role === 'builtIn' ? { ...source, raw, extended: true } : { ...source, raw };
  });
}

/** Reports an attribute that the server's own attribute replaces. */
function checkFirstPublished({ file, raw }: SchemaSource, findings: Findings): void {
  const isTaken = child(raw, 'attributes')[FIRST_PUBLISHED] !== undefined;
  if (child(raw, 'options')['draftAndPublish'] !== true || !isTaken) return;
  const message = 'is replaced by the system field of that name (experimental_firstPublishedAt of config/features)';
  findings.warning(file, ['attributes', FIRST_PUBLISHED], message);
}

/** Checks the attributes of one file. */
function checkAttributes(
  source: SchemaSource,
  names: Names,
  types: ReadonlyMap<string, Readonly<Record<string, unknown>>>,
  findings: Findings,
): Pick<Verdict, 'leaveOut' | 'alone' | 'components'> {
  const [leaveOut, alone] = [new Set<string>(), new Set<string>()];
  for (const [name, value] of Object.entries(child(source.raw, 'attributes'))) {
    const before = findings.problems.length;
    checkAttribute(source, name, value, names, findings);
    if (isOvershadowed(source, name)) leaveOut.add(name);
    else if (isObject(value) && value['type'] === 'relation') {
      const bond = checkRelation(source, name, value, names, types, findings);
      if (bond === 'alone') alone.add(name);
      if (bond === 'unheld') leaveOut.add(name);
    } else if (isObject(value) && names.isUnread(value['component'])) leaveOut.add(name);
    if (findings.problems.length > before) leaveOut.add(name);
  }
  return { leaveOut, alone, components: names.components };
}

function buildCatalog(sources: readonly SchemaSource[], verdicts: ReadonlyMap<SchemaSource, Verdict>): Catalog {
  const contentTypes = new Map<string, ContentType>();
  const components = new Map<string, Component>();
  for (const source of sources) {
    const uid = uidOf(source);
    // the second file with a uid, and a component without table name, are already reported
    if (contentTypes.has(uid) || components.has(uid) || collectionNameOf(source) === undefined) continue;
    if (source.role === 'component') components.set(uid, buildComponent(source, verdicts.get(source)!));
    else contentTypes.set(uid, buildContentType(source, verdicts.get(source)!));
  }
  return Object.freeze({ contentTypes, components });
}

/**
 * Reports required component attributes that lead back to their own component. A component is possible if all its
 * required parts are; those that remain are circular.
 */
function checkComponentCircles(catalog: Catalog, fileOf: (uid: string) => string, findings: Findings): void {
  const possible = new Set<string>();
  // missing components are reported elsewhere
  const fine = (uid: string): boolean => possible.has(uid) || !catalog.components.has(uid);
  const holds = (attribute: Attribute): boolean => {
    if (attribute.type === 'component') return !isForced(attribute) || fine(attribute.component);
    if (attribute.type === 'dynamiczone') {
      return !isForced(attribute) || attribute.components.length === 0 || attribute.components.some(fine);
    }
    return true;
  };
  let before = -1;
  while (possible.size > before) {
    before = possible.size;
    for (const component of catalog.components.values()) {
      if ([...component.attributes.values()].every(holds)) possible.add(component.uid);
    }
  }
  for (const component of catalog.components.values()) {
    if (possible.has(component.uid)) continue;
    for (const attribute of component.attributes.values()) {
      if (holds(attribute)) continue;
      const message = `requires a component that ends up requiring ${component.uid} again: no document can be complete`;
      findings.warning(fileOf(component.uid), ['attributes', attribute.name], message);
    }
  }
}

/** Whether at least one entry must exist: a single required one, or a list with a minimum. */
function isForced(attribute: Extract<Attribute, { type: 'component' | 'dynamiczone' }>): boolean {
  const isList = attribute.type === 'dynamiczone' || attribute.repeatable;
  return attribute.required && !attribute.visibility && (!isList || (attribute.min ?? 0) > 0);
}
