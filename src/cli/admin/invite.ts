/** `galley admin invite`: creates an administrator and a link, with which that person chooses a name and a password. */
import type { Config } from '../../config/config.ts';
import { UsageError } from '../../errors.ts';
import { commandText } from '../../own-files.ts';
import { addressOf } from '../../users/administrators/administrator-bodies.ts';
import {
  createInvitation,
  invitationMail,
  linkAddress,
  mailsLinks,
} from '../../users/administrators/administrator-links.ts';
import {
  type AdministratorRow,
  findAdministratorByEmail,
  hasSuperAdministrator,
  insertAdministrator,
  lockAdministrators,
  replaceRoles,
} from '../../users/administrators/administrator-rows.ts';
import { createMailer } from '../../users/mail/mailer.ts';
import { type Command, missingArgument, readArguments, type Surroundings } from '../command.ts';
import { changeProject } from '../in-project.ts';
import { roleOf } from './role/permission-words.ts';

export const adminInviteCommand: Command = {
  name: 'admin invite',
  summary: 'invite a person to the administration app, by a link',
  help: `galley admin invite EMAIL --role ROLE... [--url URL] [--no-mail] [DIR]

Creates an administrator of the project in DIR (default: the working folder) who cannot sign in yet, and prints a link.
The link opens a page where the person chooses a name and a password, and is then signed in. It works once, within 7 days.
A second invitation to the same address creates a new link and makes the first one invalid. Galley also mails the link if
the project configures both a way to send mail and the public address of the server.

  --role ROLE  code or name of a role, such as editor or author; may be repeated
  --url URL    public address of the server, such as https://example.com, if PUBLIC_URL does not set it
  --no-mail    prints the link and sends no mail`,
  async run(args, surroundings) {
    const flags = {
      role: { type: 'string', multiple: true },
      url: { type: 'string' },
      'no-mail': { type: 'boolean' },
    } as const;
    const parsed = readArguments('admin invite', args, flags, ['EMAIL', 'DIR']);
    const [address, dir] = parsed.positionals;
    const words = parsed.flags('role');
    if (address === undefined || words.length === 0) throw missingArgument('admin invite', 'an EMAIL and --role');
    const email = addressOf(address);
    if (email === undefined) throw new UsageError(`${address} is not an e-mail address`);
    const url = parsed.flag('url');
    const origin = url === undefined ? undefined : originOf(url);
    const { config, token, hasSuper, names } = await changeProject(dir, surroundings, async (app, tx) => {
      await lockAdministrators(tx);
      const roles = [];
      for (const word of words) roles.push(await roleOf(tx, word));
      const ids = [...new Set(roles.map((role) => role.id))];
      const existing = await findAdministratorByEmail(tx, email);
      if (existing) refuseUninvitable(existing, app.config.dir);
      if (existing) await replaceRoles(tx, existing, ids);
      const person = { email, firstname: null, lastname: null, password: null, isActive: false };
      const id = existing?.id ?? (await insertAdministrator(tx, person, ids));
      const token = await createInvitation(tx, { id, email });
      const hasSuper = await hasSuperAdministrator(tx);
      return { config: app.config, token, hasSuper, names: roles.map(({ name }) => name) };
    });
    const admin = { ...config.admin, origin: origin ?? config.admin.origin };
    const link = linkAddress({ ...config, admin }, 'invitation', token);
    const { print, warn } = surroundings;
    print(`Invited ${email} as ${names.join(', ')}. This link works once, within 7 days:`);
    print(link);
    if (admin.origin === undefined) {
      warn(
        'note: the public address of the server is not configured, so the link may not work from other machines: ' +
          'set PUBLIC_URL, or repeat the command with --url https://example.com',
      );
    }
    if (!hasSuper) {
      const command = commandText('admin invite EMAIL --role super-admin', config.dir);
      warn(
        `note: there is no super admin yet: open the link that ${commandText('start', config.dir)} prints, or run ${command}`,
      );
    }
    if (!config.admin.enabled) warn('note: the administration app is switched off (enabled in config/admin)');
    if (admin.origin !== undefined && mailsLinks(config) && !parsed.switched('no-mail'))
      await mail(config, email, link, surroundings);
    else warn('The link was not mailed. Send it yourself, to this person only.');
    return 0;
  },
};

/** @throws UsageError for an administrator who already has a password, or who could not use the link. */
function refuseUninvitable({ email, isBlocked, isOpen, password }: AdministratorRow, dir: string): void {
  if (isBlocked || (password !== null && !isOpen)) {
    const unblock = commandText(`admin unblock ${email}`, dir);
    const state = isBlocked ? 'blocked' : 'deactivated';
    throw new UsageError(`the administrator ${email} is ${state} and could not use a link; first run ${unblock}`);
  }
  if (password !== null) {
    const setRole = commandText(`admin set-role ${email} --role ROLE`, dir);
    throw new UsageError(`${email} is already an administrator; to change the roles, run ${setRole}`);
  }
}

/** @throws UsageError for a text that is not an http or https URL. */
function originOf(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin;
  throw new UsageError(`--url ${text} is not an http or https URL such as https://example.com`);
}

/** Mails the link. If that fails, the invitation stays valid. */
async function mail(config: Config, email: string, link: string, { print, warn }: Surroundings): Promise<void> {
  const mailer = createMailer(config.users.email, warn);
  try {
    mailer.begin?.();
    await mailer.send(invitationMail(email, link));
    print(`Mailed the link to ${email}.`);
  } catch (error) {
    warn(`The mail could not be sent: ${(error as Error).message}. Send the link yourself, to this person only.`);
  } finally {
    await mailer.close();
  }
}
