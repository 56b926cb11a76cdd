/** Operations that every project has: files, accounts, roles, locales, streams, and this description. */
import { type Operation, pageOf } from './operations.ts';
import { listOf, ref, type Schema } from './schemas.ts';

const object: Schema = { type: 'object' };
const SHAPE = ['fields', 'populate'];
const record = (...required: readonly string[]): Schema => ({ type: 'object', required });
const user = ref('UsersPermissionsUser');
const signedIn = record('user');

/** Rows of the table: method, path, action, what it does, what else is said of it. */
type Row = readonly [
  method: Operation['method'],
  path: string,
  action: string,
  summary: string,
  more: Pick<Operation, 'answers'> & Partial<Operation>,
];

const FILES = 'plugin::upload.content-api';
const USERS = 'plugin::users-permissions.user';
const AUTH = 'plugin::users-permissions.auth';
const ROLES = 'plugin::users-permissions.role';
const LOCALES = 'plugin::i18n.locales';

const ROWS: Readonly<Record<string, readonly Row[]>> = {
  Files: [
    [
      'get',
      '/upload/files',
      `${FILES}.find`,
      'All files',
      { parameters: [...SHAPE, 'filters', 'sort'], answers: { 200: listOf(ref('File')) } },
    ],
    [
      'get',
      '/upload/files/page',
      `${FILES}.findPage`,
      'A page of files',
      { parameters: [...SHAPE, 'filters', 'sort', 'pagination'], answers: { 200: pageOf(ref('File')) } },
    ],
    ['get', '/upload/files/{id}', `${FILES}.findOne`, 'One file', { parameters: SHAPE, answers: { 200: ref('File') } }],
    ['delete', '/upload/files/{id}', `${FILES}.destroy`, 'Remove a file', { answers: { 200: ref('File') } }],
    [
      'post',
      '/upload',
      `${FILES}.upload`,
      'Upload files, or change one',
      {
        body: {
          type: 'object',
          properties: {
            files: {},
            fileInfo: {},
            ref: { type: 'string' },
            refId: { type: 'string' },
            field: { type: 'string' },
          },
        },
        bodyType: 'multipart/form-data',
        answers: { 200: { anyOf: [ref('File'), listOf(ref('File'))] }, 201: listOf(ref('File')) },
      },
    ],
  ],
  Accounts: [
    [
      'post',
      '/auth/local',
      `${AUTH}.callback`,
      'Sign in',
      { body: record('identifier', 'password'), answers: { 200: signedIn } },
    ],
    [
      'post',
      '/auth/local/register',
      `${AUTH}.register`,
      'Register',
      { body: record('username', 'email', 'password'), answers: { 200: signedIn } },
    ],
    [
      'post',
      '/auth/forgot-password',
      `${AUTH}.forgotPassword`,
      'Ask for a code to reset a password',
      { body: record('email'), answers: { 200: object } },
    ],
    [
      'post',
      '/auth/reset-password',
      `${AUTH}.resetPassword`,
      'Reset a password',
      { body: record('code', 'password', 'passwordConfirmation'), answers: { 200: signedIn } },
    ],
    [
      'post',
      '/auth/change-password',
      `${AUTH}.changePassword`,
      'Change your own password',
      { body: record('currentPassword', 'password', 'passwordConfirmation'), answers: { 200: signedIn } },
    ],
    [
      'post',
      '/auth/send-email-confirmation',
      `${AUTH}.sendEmailConfirmation`,
      'Ask for a confirmation once more',
      { body: record('email'), answers: { 200: object } },
    ],
    ['post', '/auth/refresh', `${AUTH}.refresh`, 'Renew a token', { body: object, answers: { 200: object } }],
    ['post', '/auth/logout', `${AUTH}.logout`, 'Sign out', { body: object, answers: { 200: object } }],
    ['get', '/auth/sessions', `${AUTH}.getSessions`, 'Your own sessions', { answers: { 200: record('data') } }],
    [
      'delete',
      '/auth/sessions/{sessionId}',
      `${AUTH}.revokeSession`,
      'End a session',
      { answers: { 200: record('data') } },
    ],
    [
      'get',
      '/users',
      `${USERS}.find`,
      'All accounts',
      { parameters: [...SHAPE, 'filters', 'sort', 'pagination'], answers: { 200: listOf(user) } },
    ],
    ['get', '/users/count', `${USERS}.count`, 'How many accounts there are', { answers: { 200: { type: 'integer' } } }],
    ['get', '/users/me', `${USERS}.me`, 'Your own account', { parameters: SHAPE, answers: { 200: user } }],
    ['get', '/users/{id}', `${USERS}.findOne`, 'One account', { parameters: SHAPE, answers: { 200: user } }],
    [
      'post',
      '/users',
      `${USERS}.create`,
      'Make an account',
      { body: record('username', 'email', 'password', 'role'), answers: { 201: user } },
    ],
    ['put', '/users/{id}', `${USERS}.update`, 'Change an account', { body: object, answers: { 200: user } }],
    ['delete', '/users/{id}', `${USERS}.destroy`, 'Remove an account', { answers: { 200: user } }],
  ],
  Roles: [
    ['get', '/users-permissions/roles', `${ROLES}.find`, 'All roles', { answers: { 200: record('roles') } }],
    [
      'get',
      '/users-permissions/roles/{id}',
      `${ROLES}.findOne`,
      'One role with its permissions',
      { answers: { 200: record('role') } },
    ],
    [
      'post',
      '/users-permissions/roles',
      `${ROLES}.createRole`,
      'Make a role',
      { body: object, answers: { 200: record('ok') } },
    ],
    [
      'put',
      '/users-permissions/roles/{id}',
      `${ROLES}.updateRole`,
      'Change a role',
      { body: object, answers: { 200: record('ok') } },
    ],
    [
      'delete',
      '/users-permissions/roles/{id}',
      `${ROLES}.deleteRole`,
      'Remove a role',
      { answers: { 200: record('ok') } },
    ],
    [
      'get',
      '/users-permissions/permissions',
      'plugin::users-permissions.permissions.getPermissions',
      'What may be granted',
      { answers: { 200: record('permissions') } },
    ],
  ],
  Locales: [
    ['get', '/i18n/locales', `${LOCALES}.listLocales`, 'All locales', { answers: { 200: listOf(ref('Locale')) } }],
    [
      'post',
      '/i18n/locales',
      `${LOCALES}.createLocale`,
      'Add a locale',
      { body: record('code'), answers: { 200: ref('Locale'), 201: ref('Locale') } },
    ],
    [
      'put',
      '/i18n/locales/{id}',
      `${LOCALES}.updateLocale`,
      'Change a locale',
      { body: object, answers: { 200: ref('Locale') } },
    ],
    ['delete', '/i18n/locales/{id}', `${LOCALES}.deleteLocale`, 'Remove a locale', { answers: { 200: ref('Locale') } }],
  ],
};

/** All of them. */
export const BUILT_IN: readonly Operation[] = [
  ...Object.entries(ROWS).flatMap(([tag, rows]) =>
    rows.map(([method, path, action, summary, more]): Operation => {
      const id = `${tag.toLowerCase()}.${action.split('.').at(-1)}`;
      return { method, path, actions: [action], id, summary, tag, ...more };
    }),
  ),
  {
    method: 'get',
    path: '/events',
    elsewhere: '/_events',
    actions: 'listening',
    id: 'events.listen',
    summary: 'Changes as they happen, as server-sent events',
    tag: 'Changes',
    parameters: ['status', 'locale'],
    answers: { 200: { type: 'string' } },
    answerType: 'text/event-stream',
  },
];

/** Schemas of what they answer, besides those of the catalog. */
export const BUILT_IN_SCHEMAS: Readonly<Record<string, Schema>> = {
  Locale: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      code: { type: 'string' },
      name: { type: 'string' },
      isDefault: { type: 'boolean' },
    },
    required: ['id', 'code', 'isDefault'],
  },
};
