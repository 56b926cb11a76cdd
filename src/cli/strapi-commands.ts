/** Answers for people who type commands of Strapi out of habit. */

/** The text that names Galley's way. @param galley the name of the program as the user types it. */
type Answer = (galley: string) => string;

/** The commands of Strapi 5.54 and usual words for them, with the answer. */
const ANSWERS: readonly (readonly [words: readonly string[], answer: Answer])[] = [
  [['develop'], (galley) => `use ${galley} dev`],
  [['serve', 'run'], (galley) => `use ${galley} start`],
  [
    ['build'],
    (galley) => `no build is needed: ${galley} start runs TypeScript as it is, and contains the administration app`,
  ],
  [['watch-admin'], () => 'no build is needed: Galley contains the administration app'],
  [['new', 'create'], (galley) => `use ${galley} init`],
  [
    ['generate'],
    (galley) => `write src/api/NAME/content-types/NAME/schema.json; ${galley} dev adds the table when you save it`,
  ],
  [['console'], (galley) => `write a job into src/galley.ts, and run it with ${galley} job run NAME`],
  [['version'], (galley) => `use ${galley} --version`],
  [['report'], (galley) => `use ${galley} doctor for the database, and ${galley} check for the project`],
  [['ts:generate-types'], (galley) => `use ${galley} types`],
  [['content-types:list', 'components:list', 'routes:list'], (galley) => `use ${galley} openapi, which lists them`],
  [
    ['controllers:list', 'hooks:list', 'middlewares:list', 'policies:list', 'services:list'],
    (galley) => `use ${galley} check, which loads the code and names its mistakes`,
  ],
  [['admin:create-user', 'admin:create'], (galley) => `use ${galley} admin create`],
  [['admin:list-users', 'admin:list'], (galley) => `use ${galley} admin list`],
  [['admin:reset-user-password', 'admin:reset-password'], (galley) => `use ${galley} admin reset-password`],
  [['admin:delete-user', 'admin:delete'], (galley) => `use ${galley} admin delete`],
  [['admin:block-user', 'admin:block'], (galley) => `use ${galley} admin block`],
  [['admin:active-user', 'admin:active'], (galley) => `use ${galley} admin unblock`],
  [
    ['configuration:dump', 'config:dump', 'configuration:restore', 'config:restore'],
    (galley) => `use ${galley} apply for locales, API tokens and role permissions; the database has all other settings`,
  ],
  [['transfer'], (galley) => `use strapi export there, and ${galley} import here`],
  [['templates:generate'], (galley) => `copy the project folder; ${galley} init creates a new one`],
  [['telemetry:disable', 'telemetry:enable'], () => 'Galley sends no telemetry'],
  [['install', 'uninstall'], () => 'use npm for packages; Galley contains all of its plugins'],
  [['upgrade'], () => 'use npm install galley@VERSION'],
  [
    ['cloud', 'deploy', 'link', 'login', 'logout', 'projects'],
    (galley) => `copy the project to any machine with Node, and run ${galley} start there`,
  ],
];

/** The answers by command. */
export const STRAPI_COMMANDS: ReadonlyMap<string, Answer> = new Map(
  ANSWERS.flatMap(([words, answer]) => words.map((word) => [word, answer] as const)),
);

/**
 * The answer to a command of Strapi.
 *
 * @param words the arguments as typed: `admin:create-user`, `admin create-user` and `cloud:deploy` are understood.
 * @param galley the name of the program as the user types it.
 * @returns undefined for a word that is no command of Strapi.
 */
export function insteadOf(words: readonly string[], galley: string): string | undefined {
  const [first = '', second = ''] = words;
  const answer =
    STRAPI_COMMANDS.get(`${first}:${second}`) ??
    STRAPI_COMMANDS.get(first) ??
    STRAPI_COMMANDS.get(first.replace(/:.*/, ''));
  return answer?.(galley);
}
