/** Invariants of every database, checked in the tables themselves. */
import type { App } from '../../src/app.ts';
import type { Schema } from './schema.ts';

interface Rule {
  readonly title: string;
  /** Rows that break the rule. */
  readonly sql: string;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Tells what is broken; empty when all is well. */
export async function brokenInvariants(app: App, schema: Schema): Promise<string[]> {
  const broken: string[] = [];
  for (const { title, sql } of rulesOf(app, schema)) {
    const rows = await app.database.rows(sql, []);
    if (rows.length > 0) broken.push(`${title}: ${JSON.stringify(rows.slice(0, 3))}`);
  }
  return broken;
}

/** Tables that hold something although no document is there. */
export async function leftovers(app: App, schema: Schema): Promise<string[]> {
  const left: string[] = [];
  for (const table of tablesOf(app, schema)) {
    const [row] = await app.database.rows(`select count(*) from ${quoted(table)}`, []);
    if (Number(row![0]) > 0) left.push(`${table}: ${row![0]} rows`);
  }
  return left;
}

function tablesOf(app: App, schema: Schema): string[] {
  const tables = new Set(['galley_pending_links', 'galley_draft_links']);
  for (const uid of schema.keys()) {
    const layout = app.layout.models.get(uid)!;
    tables.add(layout.table);
    if (layout.componentsTable) tables.add(layout.componentsTable);
    for (const relation of layout.relations.values()) if ('table' in relation) tables.add(relation.table);
  }
  return [...tables];
}

const known = new WeakMap<App, readonly Rule[]>();

function rulesOf(app: App, schema: Schema): readonly Rule[] {
  let rules = known.get(app);
  if (!rules) {
    rules = [...schema.keys()].flatMap((uid) => [
      ...rowRules(app, schema, uid),
      ...linkRules(app, schema, uid),
      ...componentRules(app, schema, uid),
    ]);
    known.set(app, rules);
  }
  return rules;
}

function rowRules(app: App, schema: Schema, uid: string): Rule[] {
  const model = schema.get(uid)!;
  const { table, columns } = app.layout.models.get(uid)!;
  const t = quoted(table);
  const pending: Rule = {
    title: `links wait at sources of ${uid} that are not there`,
    sql: `select p."id" from galley_pending_links p where p."source_type" = '${uid}' and not exists (select 1 from ${t} s where s."id" = p."source_id")`,
  };
  if (model.isComponent) return [pending];
  const notes = ['source', 'target', 'author'].map((end): Rule => {
    const there = `exists (select 1 from ${t} s where s."id" = e."${end}_id")`;
    return {
      title: `a changed link is noted whose ${end} of ${uid} is not there`,
      sql: `select e."id" from galley_draft_links e where e."${end}_type" = '${uid}' and not ${there}`,
    };
  });
  const pair = `from ${t} d join ${t} p on p."document_id" = d."document_id" and coalesce(p."locale", '') = coalesce(d."locale", '') and p."published_at" is not null where d."published_at" is null`;
  const rules: Rule[] = [
    pending,
    ...notes,
    {
      title: `${uid} has two rows of one version`,
      sql: `select "document_id" from ${t} group by "document_id", coalesce("locale", ''), "published_at" is null having count(*) > 1`,
    },
    {
      title: `links wait for ${uid} although it is published, or for nothing`,
      sql: `select p."id" from galley_pending_links p where p."target_type" = '${uid}' and (exists (select 1 from ${t} s where s."document_id" = p."target_document_id" and coalesce(s."locale", '') = coalesce(p."target_locale", '') and s."published_at" is not null) or not exists (select 1 from ${t} s where s."document_id" = p."target_document_id"))`,
    },
  ];
  const shared = [...model.attributes.values()].flatMap((attribute) =>
    attribute.kind === 'scalar' && attribute.shared ? [quoted(columns.get(attribute.name)!)] : [],
  );
  if (shared.length > 0) {
    const differ = shared.map((column) => `coalesce(a.${column}, '') <> coalesce(b.${column}, '')`).join(' or ');
    rules.push({
      title: `shared attributes of ${uid} differ between locales`,
      sql: `select a."id", b."id" from ${t} a join ${t} b on a."document_id" = b."document_id" and (a."published_at" is null) = (b."published_at" is null) where ${differ}`,
    });
  }
  if (!model.drafts) return rules;
  rules.push(
    {
      title: `${uid} has a published row without draft`,
      sql: `select p."id" from ${t} p where p."published_at" is not null and not exists (select 1 from ${t} d where d."document_id" = p."document_id" and coalesce(d."locale", '') = coalesce(p."locale", '') and d."published_at" is null)`,
    },
    {
      title: `createdAt of ${uid} differs between draft and published row`,
      sql: `select d."id" ${pair} and d."created_at" <> p."created_at"`,
    },
    {
      title: `a published row of ${uid} is newer than its draft`,
      sql: `select d."id" ${pair} and p."updated_at" > d."updated_at"`,
    },
  );
  return rules;
}

function linkRules(app: App, schema: Schema, uid: string): Rule[] {
  const own = app.layout.models.get(uid)!;
  const rules: Rule[] = [];
  for (const attribute of schema.get(uid)!.attributes.values()) {
    if (attribute.kind !== 'relation') continue;
    const relation = own.relations.get(attribute.name)!;
    const at = `${uid}.${attribute.name}`;
    if (relation.kind === 'column') {
      const target = app.layout.models.get(attribute.target!)!.table;
      const column = quoted(relation.column);
      rules.push({
        title: `${at} names a row that is not there`,
        sql: `select s."id" from ${quoted(own.table)} s where s.${column} is not null and not exists (select 1 from ${quoted(target)} t where t."id" = s.${column})`,
      });
    } else if (relation.kind === 'link') {
      const [table, source, target] = [relation.table, relation.source, relation.target].map(quoted);
      rules.push({
        title: `${at} has a link with one end`,
        sql: `select l."id" from ${table} l where not exists (select 1 from ${quoted(own.table)} s where s."id" = l.${source}) or not exists (select 1 from ${quoted(app.layout.models.get(attribute.target!)!.table)} t where t."id" = l.${target})`,
      });
      if (relation.order) {
        const order = quoted(relation.order);
        // the two rows of one document may share a place: no reader sees both
        const status = schema.get(attribute.target!)!.drafts ? 't."published_at" is null' : '1';
        rules.push({
          title: `${at} has two links at one place, or one without`,
          sql: `select l.${source}, l.${order} from ${table} l join ${quoted(app.layout.models.get(attribute.target!)!.table)} t on t."id" = l.${target} group by l.${source}, l.${order}${status === '1' ? '' : `, ${status}`} having count(*) > 1 or l.${order} is null`,
        });
      }
    } else if (relation.kind === 'morphTable') {
      rules.push({
        title: `${at} has a link of a source that is not there`,
        sql: `select l."id" from ${quoted(relation.table)} l where not exists (select 1 from ${quoted(own.table)} s where s."id" = l.${quoted(relation.source)})`,
      });
      for (const [target, model] of schema) {
        if (model.isComponent) continue;
        const there = `select 1 from ${quoted(app.layout.models.get(target)!.table)} t where t."id" = l.${quoted(relation.id)}`;
        rules.push({
          title: `${at} has a link to a ${target} that is not there`,
          sql: `select l."id" from ${quoted(relation.table)} l where l.${quoted(relation.type)} = '${target}' and not exists (${there})`,
        });
      }
    }
  }
  return rules;
}

/** Components are tied once: to one owner, of whatever type. */
function componentRules(app: App, schema: Schema, uid: string): Rule[] {
  const { table, componentsTable } = app.layout.models.get(uid)!;
  const rules: Rule[] = [];
  if (componentsTable) {
    const ties = quoted(componentsTable);
    rules.push({
      title: `a component is tied to a ${uid} that is not there`,
      sql: `select c."id" from ${ties} c where not exists (select 1 from ${quoted(table)} t where t."id" = c."entity_id")`,
    });
    rules.push({
      title: `two components of ${uid} stand at one place`,
      sql: `select c."entity_id", c."field" from ${ties} c group by c."entity_id", c."field", c."order" having count(*) > 1`,
    });
    for (const [component, model] of schema) {
      if (!model.isComponent) continue;
      rules.push({
        title: `${uid} has a tie to a ${component} that is not there`,
        sql: `select c."id" from ${ties} c where c."component_type" = '${component}' and not exists (select 1 from ${quoted(model.table)} t where t."id" = c."cmp_id")`,
      });
    }
  }
  if (!schema.get(uid)!.isComponent) return rules;
  const ties = [...app.layout.models.values()].flatMap((layout) =>
    layout.componentsTable && schema.has(layout.uid)
      ? [`select "cmp_id" from ${quoted(layout.componentsTable)} where "component_type" = '${uid}'`]
      : [],
  );
  const count = `select count(*) from (${ties.join(' union all ')}) c where c."cmp_id" = t."id"`;
  rules.push({
    title: `a ${uid} is not tied once`,
    sql: `select t."id" from ${quoted(table)} t where (${count}) <> 1`,
  });
  return rules;
}
