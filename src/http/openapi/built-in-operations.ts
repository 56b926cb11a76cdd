/** Operations that every project has: files, accounts, roles, locales and streams. Their routes are in access/actions.ts. */
import { AUTH, BUILT_IN_ACTIONS, FILES, LOCALES, ROLES, USERS } from '../../access/actions.ts';
import { bracesOf, type Operation, pageOf } from './operations.ts';
import { listOf, ref, type Schema } from './schemas.ts';

type Details = Pick<Operation, 'answers'> & Partial<Operation>;

const object: Schema = { type: 'object' };
const SHAPE = ['fields', 'populate'];
const record = (...required: readonly string[]): Schema => ({ type: 'object', required });
const user = ref('UsersPermissionsUser');
const signedIn = { 200: record('user') };
const file = ref('File');
const locale = ref('Locale');
const upload: Schema = {
  type: 'object',
  properties: {
    files: {},
    fileInfo: {},
    ref: { type: 'string' },
    refId: { type: 'string' },
    field: { type: 'string' },
  },
};

/** What the built-in actions take and answer, by the tag that they are described under. */
const DETAILS: Readonly<Record<string, Readonly<Record<string, Details>>>> = {
  Files: {
    [`${FILES}.find`]: { parameters: [...SHAPE, 'filters', 'sort'], answers: { 200: listOf(file) } },
    [`${FILES}.findPage`]: {
      parameters: [...SHAPE, 'filters', 'sort', 'pagination'],
      answers: { 200: pageOf(file) },
    },
    [`${FILES}.findOne`]: { parameters: SHAPE, answers: { 200: file } },
    [`${FILES}.destroy`]: { answers: { 200: file } },
    [`${FILES}.upload`]: {
      body: upload,
      bodyType: 'multipart/form-data',
      answers: { 200: { anyOf: [file, listOf(file)] }, 201: listOf(file) },
    },
  },
  Accounts: {
    [`${AUTH}.callback`]: { body: record('identifier', 'password'), answers: signedIn },
    [`${AUTH}.register`]: { body: record('username', 'email', 'password'), answers: signedIn },
    [`${AUTH}.forgotPassword`]: { body: record('email'), answers: { 200: object } },
    [`${AUTH}.resetPassword`]: { body: record('code', 'password', 'passwordConfirmation'), answers: signedIn },
    [`${AUTH}.changePassword`]: {
      body: record('currentPassword', 'password', 'passwordConfirmation'),
      answers: signedIn,
    },
    [`${AUTH}.sendEmailConfirmation`]: { body: record('email'), answers: { 200: object } },
    [`${AUTH}.refresh`]: { body: object, answers: { 200: object } },
    [`${AUTH}.logout`]: { body: object, answers: { 200: object } },
    [`${AUTH}.getSessions`]: { answers: { 200: record('data') } },
    [`${AUTH}.revokeSession`]: { answers: { 200: record('data') } },
    [`${USERS}.find`]: { parameters: [...SHAPE, 'filters', 'sort', 'pagination'], answers: { 200: listOf(user) } },
    [`${USERS}.count`]: { answers: { 200: { type: 'integer' } } },
    [`${USERS}.me`]: { parameters: SHAPE, answers: { 200: user } },
    [`${USERS}.findOne`]: { parameters: SHAPE, answers: { 200: user } },
    [`${USERS}.create`]: { body: record('username', 'email', 'password', 'role'), answers: { 201: user } },
    [`${USERS}.update`]: { body: object, answers: { 200: user } },
    [`${USERS}.destroy`]: { answers: { 200: user } },
  },
  Roles: {
    [`${ROLES}.find`]: { answers: { 200: record('roles') } },
    [`${ROLES}.findOne`]: { answers: { 200: record('role') } },
    [`${ROLES}.createRole`]: { body: object, answers: { 200: record('ok') } },
    [`${ROLES}.updateRole`]: { body: object, answers: { 200: record('ok') } },
    [`${ROLES}.deleteRole`]: { answers: { 200: record('ok') } },
    'plugin::users-permissions.permissions.getPermissions': { answers: { 200: record('permissions') } },
  },
  Locales: {
    [`${LOCALES}.listLocales`]: { answers: { 200: listOf(locale) } },
    [`${LOCALES}.createLocale`]: { body: record('code'), answers: { 200: locale, 201: locale } },
    [`${LOCALES}.updateLocale`]: { body: object, answers: { 200: locale } },
    [`${LOCALES}.deleteLocale`]: { answers: { 200: locale } },
  },
};

/** The operations of built-in actions, and the stream of changes. */
export const BUILT_IN: readonly Operation[] = [
  ...Object.entries(DETAILS).flatMap(([tag, details]) =>
    BUILT_IN_ACTIONS.filter(({ action }) => action in details).map(
      ({ action, method, path, summary }): Operation => ({
        method: method.toLowerCase(),
        path: bracesOf(path),
        actions: [action],
        id: `${tag.toLowerCase()}.${action.split('.').at(-1)}`,
        summary,
        tag,
        ...details[action]!,
      }),
    ),
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

/** Schemas that these operations refer to, besides those of the catalog. */
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
