/** The settings of the site: those that can be changed here, and those of files and the environment with their source. */
import type { Config } from '../../config/config.ts';
import { changeSite, readSite, type SiteSettings } from '../../content/administration/site-settings.ts';
import { forbidden, notFound } from '../../errors.ts';
import { changeImageSettings } from '../../media/upload-settings.ts';
import { Semaphore } from '../../semaphore.ts';
import { changeAdvancedSettings, readAdvancedSettings } from '../../users/accounts/account-settings.ts';
import { changeTemplate, isTemplateName, readTemplates } from '../../users/mail/template-settings.ts';
import { sendTestMail } from '../../users/mail/test-mail.ts';
import { listRoles } from '../../users/roles/roles.ts';
import { limitRate } from '../protocol/rate-limit.ts';
import type { HttpContext } from '../routes/context.ts';
import { pathParam } from '../routes/routes.ts';
import type { AdminHandler, AdminRoute } from './admin-route.ts';
import { sendData } from './answers.ts';
import { forSuper, mayAct, withRight } from './settings-rights.ts';
import { limitsOf, mailOf, pictureSizesOf, previewsOf, shownAddress, sourced, storageOf } from './site-values.ts';

/** Tests of mail and of the storage that one administrator may run. */
const TESTS = { max: 6, windowMs: 10 * 60_000 };
/** Tests at the same time. */
const CONCURRENT = 2;

const RIGHTS = {
  accounts: 'plugin::users-permissions.advanced-settings.read',
  changeAccounts: 'plugin::users-permissions.advanced-settings.update',
  templates: 'plugin::users-permissions.email-templates.read',
  changeTemplates: 'plugin::users-permissions.email-templates.update',
  // as in the reference, it includes changing them
  files: 'plugin::upload.settings.read',
  mail: 'plugin::email.settings.read',
} as const;

export function siteRoutes(context: HttpContext): AdminRoute[] {
  const { config, database, media, mailer, catalog, http } = context;
  const [mails, objects] = ['mails', 'objects'].map((name) => http.limits.of(`administrator test ${name}`, TESTS));
  const tests = new Semaphore(CONCURRENT);

  const accounts = async () => {
    const roles = (await listRoles(database)).map(({ type, name }) => ({ type, name }));
    return { ...(await readAdvancedSettings(database)), roles };
  };
  const images = async () => ({ ...(await media.imageSettings()), ...pictureSizesOf(config) });
  const read: AdminHandler = async (call) => {
    const { isSuper } = call.administrator.rights;
    const sections = [RIGHTS.accounts, RIGHTS.templates, RIGHTS.files, RIGHTS.mail];
    const [seesAccounts, seesTemplates, seesFiles, seesMail] = sections.map((action) => mayAct(call, action));
    if (!isSuper && !seesAccounts && !seesTemplates && !seesFiles && !seesMail) throw forbidden();
    return sendData(call.reply, {
      site: toldSite(config, await readSite(database)),
      accounts: seesAccounts ? await accounts() : null,
      templates: seesTemplates ? await readTemplates(database) : null,
      images: seesFiles ? await images() : null,
      mail: seesMail ? mailOf(config) : null,
      storage: seesFiles ? storageOf(config) : null,
      previews: isSuper ? previewsOf(config, catalog) : null,
      limits: isSuper ? limitsOf(config) : null,
    });
  };
  const changeNames: AdminHandler = async (call) =>
    sendData(call.reply, toldSite(config, await database.transaction((tx) => changeSite(tx, call.request.body))));
  const changeAccounts: AdminHandler = async (call) => {
    await database.transaction((tx) => changeAdvancedSettings(tx, call.request.body));
    return sendData(call.reply, await accounts());
  };
  const changeMail: AdminHandler = async (call) => {
    const name = pathParam(call.request, 'name');
    if (!isTemplateName(name)) throw notFound();
    await database.transaction((tx) => changeTemplate(tx, name, call.request.body));
    return sendData(call.reply, await readTemplates(database));
  };
  const changeImages: AdminHandler = async (call) => {
    await database.transaction((tx) => changeImageSettings(tx, call.request.body));
    return sendData(call.reply, await images());
  };
  const testMail: AdminHandler = async (call) => {
    const { id, email } = call.administrator.row;
    await limitRate(mails!, String(id), call.reply);
    const { name } = await readSite(database);
    return sendData(call.reply, {
      ...(await tests.run(() => sendTestMail(mailer, config.users.email, email, name ?? config.name))),
      to: email,
    });
  };
  const testStorage: AdminHandler = async (call) => {
    await limitRate(objects!, String(call.administrator.row.id), call.reply);
    const { failure = null, ...rest } = await tests.run(() => media.testStorage());
    return sendData(call.reply, { ...rest, failure });
  };
  return [
    { path: '/site', methods: { GET: read, PUT: forSuper(changeNames) } },
    { path: '/site/accounts', methods: { PUT: withRight(RIGHTS.changeAccounts, changeAccounts) } },
    { path: '/site/templates/:name', methods: { PUT: withRight(RIGHTS.changeTemplates, changeMail) } },
    { path: '/site/images', methods: { PUT: withRight(RIGHTS.files, changeImages) } },
    { path: '/site/mail/test', methods: { POST: withRight(RIGHTS.mail, testMail) } },
    { path: '/site/storage/test', methods: { POST: withRight(RIGHTS.files, testStorage) } },
  ];
}

function toldSite(config: Config, { name, timeZone }: SiteSettings) {
  const { publicUrl } = config.users;
  return {
    ...{ name, timeZone, projectName: config.name },
    url: sourced(config, 'url', publicUrl === undefined ? null : shownAddress(publicUrl)),
    serverTimeZone: sourced(config, 'timeZone', new Intl.DateTimeFormat().resolvedOptions().timeZone),
  };
}
