/** The schema as the app shows it to administrators, with a version that changes whenever it does. */
import type { AdministratorRights } from '../../access/administrators/administrator-rights.ts';
import type { View } from '../../access/view.ts';
import type { Config } from '../../config/config.ts';
import { readArrangements } from '../../content/administration/arrangement.ts';
import { readKeptDecimals, shownSchema } from '../../content/administration/shown-schema.ts';
import { readSite } from '../../content/administration/site-settings.ts';
import { defaultLocale, listLocales } from '../../content/locales/locales.ts';
import type { Database } from '../../db/interface/database.ts';
import type { Workflows } from '../../review/workflows.ts';
import type { RunningCode } from '../../runtime/running.ts';
import type { Catalog, ContentType } from '../../schema/catalog.ts';
import type { Layout } from '../../schema/layout/layout.ts';
import type { Administrator, Administrators } from '../../users/administrators/administrators.ts';
import { versionOf } from './answers.ts';

export interface SchemaContext {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly layout: Layout;
  /** The running project code; undefined where none runs. */
  readonly running: Pick<RunningCode, 'administration'> | undefined;
  readonly config: Pick<Config, 'upload' | 'admin'>;
  readonly administrators: Pick<Administrators, 'viewer'>;
  readonly review: { readonly workflows: Pick<Workflows, 'current'> };
}

/** The schema of one moment, for any administrator. */
export interface AppSchema {
  for(administrator: Administrator): Readonly<Record<string, unknown>> & { readonly version: string };
  /** The version alone. It is the same for administrators with equal rights, and computed once for them. */
  versionFor(administrator: Administrator): string;
}

/** Reads what the schema consists of besides the files of the project. */
export async function appSchema({
  database,
  catalog,
  layout,
  running,
  config: { upload, admin },
  administrators,
  review,
}: SchemaContext): Promise<AppSchema> {
  const { sizeLimit, allowedTypes = null, deniedTypes } = upload;
  const locales = await listLocales(database);
  const chosen = await defaultLocale(database);
  const arrangements = await readArrangements(database);
  const decimals = await readKeptDecimals(database, layout);
  const site = await readSite(database);
  const workflows = await review.workflows.current();
  const runsCode = (type: ContentType): boolean => running?.administration.isAroundWrites(type) ?? false;
  const versions = new Map<AdministratorRights, string>();
  const shownTo = (administrator: Administrator) => {
    const [create, update, read] = (['create', 'update', 'read'] as const).map(
      (operation) => administrators.viewer(administrator, operation).view,
    ) as [View, View, View];
    const schema = shownSchema({ read, create, update }, arrangements, runsCode, decimals);
    const data = {
      ...schema,
      locales: locales
        .map(({ code, name }) => ({ code, name, isDefault: code === chosen }))
        // lists start with the default locale
        .filter(({ code, isDefault }) => isDefault || mayUse(administrator.rights, code, catalog)),
      upload: { sizeLimit, allowedTypes, deniedTypes },
      previews: schema.contentTypes.map(({ uid }) => String(uid)).filter((uid) => admin.preview.urls.has(uid)),
      // types whose documents have stages of review
      reviewed: schema.contentTypes.map(({ uid }) => String(uid)).filter((uid) => workflows.of({ uid })),
      site,
    };
    return { ...data, version: versionOf(data) };
  };
  return {
    for: shownTo,
    versionFor: (administrator) => {
      const { rights } = administrator;
      const version = versions.get(rights) ?? shownTo(administrator).version;
      versions.set(rights, version);
      return version;
    },
  };
}

/** True where any right covers documents in a locale. */
function mayUse({ isSuper, rights }: AdministratorRights, code: string, { contentTypes }: Catalog): boolean {
  const isOf = (subject: string | null) => subject !== null && contentTypes.get(subject)?.localized === true;
  return isSuper || rights.some(({ subject, locales }) => isOf(subject) && (locales?.includes(code) ?? true));
}
