/** `galley admin invite`: creates an administrator who chooses name and password by a link. */
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
  findAdministratorByEmail,
  hasSuperAdministrator,
  insertAdministrator,
  lockAdministrators,
  replaceRoles,
} from '../../users/administrators/administrator-rows.ts';
import { createMailer } from '../../users/mail/mailer.ts';
import { type Command, readArguments, type Surroundings } from '../command.ts';
import { changeProject } from '../in-project.ts';
import { roleOf } from './role/words.ts';

export const adminInviteCommand: Command = {
  name: 'admin invite',
  summary: 'invite a person to the administration app, by a link',
  help: `galley admin invite EMAIL --role ROLE... [--url URL] [--no-mail] [DIR]

Creates an administrator of the project in DIR (default: the working folder) who cannot sign in yet, and prints a link. It
opens a page where the person chooses a name and a password, and is signed in. The link works once, within 7 days. Inviting
the same address again gives a new link, and voids the one before. Where an SMTP server or a provider of mail is
configured, and the public address of the server as well, the link is mailed.

  --role ROLE  a role of galley admin role list, such as editor or author; may be repeated
  --url URL    the public address of the server, such as https://example.com, where PUBLIC_URL does not set it
  --no-mail    only prints the link`,
  async run(args, surroundings) {
    const flags = {
      role: { type: 'string', multiple: true },
      url: { type: 'string' },
      'no-mail': { type: 'boolean' },
    } as const;
    const parsed = readArguments('admin invite', args, flags, ['EMAIL', 'DIR']);
    const [given, dir] = parsed.positionals;
    const words = parsed.flags('role');
    if (given === undefined || words.length === 0) {
      throw new UsageError('galley admin invite needs an EMAIL and --role; see galley admin invite --help');
    }
    const email = addressOf(given);
    if (email === undefined) throw new UsageError(`${given} is not an e-mail address`);
    const url = parsed.flag('url');
    const origin = url === undefined ? undefined : originOf(url);
    const { config, token, hasSuper, names } = await changeProject(dir, surroundings, async (app, tx) => {
      await lockAdministrators(tx);
      const roles = [];
      for (const word of words) roles.push(await roleOf(tx, word));
      const ids = [...new Set(roles.map((role) => role.id))];
      const found = await findAdministratorByEmail(tx, email);
      if (found && (found.isBlocked || (found.password !== null && !found.isOpen))) {
        const state = found.isBlocked ? 'blocked' : 'deactivated';
        throw new UsageError(
          `the administrator ${email} is ${state}, and no link would work: galley admin unblock ${email} lets the person sign in again`,
        );
      }
      if (found && found.password !== null) {
        throw new UsageError(`${email} is an administrator already: galley admin set-role changes the roles`);
      }
      if (found) await replaceRoles(tx, found.id, ids);
      const person = { email, firstname: null, lastname: null, password: null, isActive: false };
      const id = found?.id ?? (await insertAdministrator(tx, person, ids));
      const token = await createInvitation(tx, id);
      const hasSuper = await hasSuperAdministrator(tx);
      return { config: app.config, token, hasSuper, names: roles.map(({ name }) => name) };
    });
    const admin = { ...config.admin, origin: origin ?? config.admin.origin };
    const address = linkAddress({ ...config, admin }, 'invitation', token);
    const { print, warn } = surroundings;
    print(`Invited ${email} as ${names.join(', ')}. This link works once, within 7 days:`);
    print(address);
    if (admin.origin === undefined) {
      warn(
        'note: the public address of the server is not configured, so that the link may lead to a wrong place: ' +
          'set PUBLIC_URL, or repeat the command with --url https://example.com',
      );
    }
    if (!hasSuper) {
      const command = commandText('admin invite EMAIL --role super-admin', config.dir);
      warn(`note: there is no super admin yet: open the link that the start prints, or give ${command}`);
    }
    if (!config.admin.enabled) warn('note: the administration app is switched off (config/admin, enabled)');
    if (admin.origin !== undefined && mailsLinks(config) && !parsed.switched('no-mail'))
      await mail(config, email, address, surroundings);
    else warn('It was not mailed: pass it on yourself, only to this person.');
    return 0;
  },
};

/** @throws UsageError for text that is no http or https URL. */
function originOf(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.origin;
  throw new UsageError(`--url ${text} is not an http or https URL such as https://example.com`);
}

/** Mails the link. A mail that cannot be sent leaves the invitation as it is. */
async function mail(config: Config, email: string, address: string, { print, warn }: Surroundings): Promise<void> {
  const mailer = createMailer(config.users.email, warn);
  try {
    mailer.begin?.();
    await mailer.send(invitationMail(email, address));
    print(`Mailed it to ${email}.`);
  } catch (error) {
    warn(`The mail could not be sent: ${(error as Error).message}. Pass the link on yourself, only to this person.`);
  } finally {
    await mailer.close();
  }
}
