/** What Strapi's commands are in Galley, for people who type them out of habit. */

/** Commands of Strapi 5.54, and usual words for them, with what to do instead. */
const ANSWERS: readonly (readonly [words: readonly string[], answer: string])[] = [
  [['develop'], 'use galley dev'],
  [['serve', 'run'], 'use galley start'],
  [['build'], 'nothing has to be built: galley start runs TypeScript as it is, and the administration app is included'],
  [['watch-admin'], 'nothing has to be built: the administration app is included'],
  [['new', 'create'], 'use galley init'],
  [['generate'], 'write src/api/NAME/content-types/NAME/schema.json; galley dev adds the table when the file is saved'],
  [['console'], 'write a job into src/galley.ts, and run it with galley job run NAME'],
  [['version'], 'use galley --version'],
  [['report'], 'use galley doctor for the database, and galley check for the project'],
  [['ts:generate-types'], 'use galley types'],
  [['content-types:list', 'components:list', 'routes:list'], 'use galley openapi, which describes them'],
  [
    ['controllers:list', 'hooks:list', 'middlewares:list', 'policies:list', 'services:list'],
    'use galley check, which names the code that is not run',
  ],
  [['admin:create-user', 'admin:create'], 'use galley admin create'],
  [['admin:list-users', 'admin:list'], 'use galley admin list'],
  [['admin:reset-user-password', 'admin:reset-password'], 'use galley admin reset-password'],
  [
    ['admin:delete-user', 'admin:delete', 'admin:block-user', 'admin:block', 'admin:active-user', 'admin:active'],
    'Galley has no such command; galley admin --help lists those for administrators',
  ],
  [
    ['configuration:dump', 'config:dump', 'configuration:restore', 'config:restore'],
    'use galley apply for locales, API tokens and role permissions; all other settings are in the database',
  ],
  [['export', 'import', 'transfer'], 'copy the database, public/uploads and .env while no server is running'],
  [['templates:generate'], 'copy the project folder; galley init makes a new one'],
  [['telemetry:disable', 'telemetry:enable'], 'nothing has to be set: Galley sends no telemetry'],
  [['install', 'uninstall'], 'use npm for packages; all plugins of Galley are included'],
  [['upgrade'], 'use npm install galley@VERSION'],
  [
    ['cloud', 'deploy', 'link', 'login', 'logout', 'projects'],
    'copy the project to any machine with Node, and run galley start there',
  ],
];

/** The answers by command. */
export const STRAPI_COMMANDS: ReadonlyMap<string, string> = new Map(
  ANSWERS.flatMap(([words, answer]) => words.map((word) => [word, answer] as const)),
);

/**
 * What to do instead of a command of Strapi's.
 *
 * @param words the arguments as typed: `admin:create-user`, `admin create-user` and `cloud:deploy` are understood.
 * @returns undefined for a word that Strapi does not have either.
 */
export function insteadOf(words: readonly string[]): string | undefined {
  const [first = '', second = ''] = words;
  return (
    STRAPI_COMMANDS.get(`${first}:${second}`) ??
    STRAPI_COMMANDS.get(first) ??
    STRAPI_COMMANDS.get(first.replace(/:.*/, ''))
  );
}
