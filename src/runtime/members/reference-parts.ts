/** Services, controllers, policies and middlewares of Strapi's own packages, whose uids its registries list. */
const words = ([text]: TemplateStringsArray): readonly string[] => text!.match(/\S+/g) ?? [];

const uidsOf = (names: Readonly<Record<string, readonly string[]>>): ReadonlySet<string> =>
  new Set(Object.entries(names).flatMap(([space, own]) => own.map((name) => `${space}${name}`)));

/** Uids by kind. */
export const REFERENCE_PARTS = {
  services: uidsOf({
    'plugin::content-manager.': words`
      components content-types data-mapper document-metadata document-manager field-sizes metrics permission-checker
      permission populate-builder uid preview preview-config homepage
    `,
    'plugin::content-type-builder.': words`
      content-types components component-categories builder api-handler schema
    `,
    'plugin::email.': words`email`,
    'plugin::upload.': words`
      provider upload folder file weeklyMetrics metrics image-manipulation api-upload-folder extensions aiMetadata
      aiMetadataJobs
    `,
    'plugin::i18n.': words`
      permissions metrics localizations locales sanitize iso-locales content-types ai-localizations
      ai-localization-jobs settings fill-from-locale
    `,
    'plugin::users-permissions.': words`jwt providers providers-registry role user users-permissions permission`,
    'admin::': words`
      auth user role passport token permission metrics content-type constants condition action api-token
      api-token-content-api api-token-admin transfer project-settings encryption homepage
    `,
  }),
  controllers: uidsOf({
    'plugin::content-manager.': words`
      collection-types components content-types init relations single-types uid preview homepage
    `,
    'plugin::content-type-builder.': words`builder component-categories components content-types schema`,
    'plugin::email.': words`email`,
    'plugin::upload.': words`
      admin-file admin-folder admin-folder-file admin-settings admin-upload content-api view-configuration
    `,
    'plugin::i18n.': words`locales iso-locales content-types settings ai-localization-jobs`,
    'plugin::users-permissions.': words`auth user role permissions settings contentmanageruser`,
    'admin::': words`
      admin api-token admin-token authenticated-user authenticated-session authentication permission role transfer
      user webhooks content-api homepage ai
    `,
  }),
  policies: uidsOf({
    'plugin::content-manager.': words`hasPermissions`,
    'admin::': words`isAuthenticatedAdmin hasPermissions isTelemetryEnabled`,
  }),
  middlewares: uidsOf({
    'strapi::': words`
      compression cors errors favicon ip logger poweredBy body query responseTime responses security session public
    `,
    'plugin::content-type-builder.': words`isDevelopmentMode`,
    'plugin::email.': words`rateLimit`,
    'plugin::users-permissions.': words`rateLimit`,
    'admin::': words`rateLimit data-transfer`,
  }),
} as const;

/** Plugins of every Strapi project that Galley has only the types and settings of. */
export const PANEL_PLUGINS = words`content-manager content-type-builder content-releases review-workflows`;
/** Plugins of the reference that are built in here. */
export const BUILT_IN_PLUGINS = words`email i18n upload users-permissions`;
/** Plugins that every project has in the reference, and those that are built in here. */
export const REFERENCE_PLUGINS = [...PANEL_PLUGINS, ...BUILT_IN_PLUGINS];

/** Members of these plugins, and of those of other kinds, that Galley lacks. */
export const OF_PANEL_PLUGINS: ReadonlySet<string> = new Set(
  words`
    bootstrap controller controllers destroy load middleware middlewares policies policy register routes service
    services
  `,
);
