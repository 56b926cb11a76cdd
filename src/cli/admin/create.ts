/** `galley admin create`: creates an administrator who can sign in at once. */
import { SUPER_ADMIN } from '../../access/administrators/administrator-rights.ts';
import { UsageError } from '../../errors.ts';
import { addressOf } from '../../users/administrators/administrator-bodies.ts';
import { insertAdministrator, lockAdministrators } from '../../users/administrators/administrator-rows.ts';
import { isAddressTaken } from '../../users/administrators/administrator-rules.ts';
import { type Command, missingArgument, readArguments } from '../command.ts';
import { changeProject } from '../in-project.ts';
import { askForPassword } from '../prompts.ts';
import { roleOf } from './role/permission-words.ts';

/** The most characters of a text column. */
const MAX_LENGTH = 255;

export const adminCreateCommand: Command = {
  name: 'admin create',
  summary: 'create an administrator',
  help: `galley admin create --email E [--firstname F] [--lastname L] [--role ROLE] [DIR]

Creates an administrator of the project in DIR (default: the working folder), who can sign in at once. The command reads
the password from the terminal or from standard input. A password has at least 8 characters, with a lowercase letter, an
uppercase letter and a digit.

  --email E      e-mail address to sign in with; no other administrator has it
  --firstname F  first name (default: the part of the address before the @)
  --lastname L   last name
  --role ROLE    code or name of a role, such as editor or author (default: ${SUPER_ADMIN})`,
  async run(args, surroundings) {
    const text = { type: 'string' } as const;
    const flags = { email: text, firstname: text, lastname: text, role: text };
    const { flag, positionals } = readArguments('admin create', args, flags, ['DIR']);
    const address = flag('email');
    if (!address) throw missingArgument('admin create', '--email');
    const email = addressOf(address);
    if (email === undefined) throw new UsageError('--email must be an e-mail address');
    const firstname = nameOf('firstname', flag('firstname')) ?? email.split('@')[0]!;
    const lastname = nameOf('lastname', flag('lastname')) ?? null;
    const password = await askForPassword(surroundings);
    const role = await changeProject(positionals[0], surroundings, async (_, tx) => {
      await lockAdministrators(tx);
      const role = await roleOf(tx, flag('role') ?? SUPER_ADMIN);
      if (await isAddressTaken(tx, email)) throw new UsageError(`an administrator ${email} already exists`);
      await insertAdministrator(tx, { email, firstname, lastname, password }, [role.id]);
      return role;
    });
    surroundings.print(`Created the administrator ${email} with the role ${role.name}.`);
    return 0;
  },
};

function nameOf(flag: string, text: string | undefined): string | undefined {
  const name = text?.trim();
  if (name !== undefined && (name.length > MAX_LENGTH || /\p{Cc}/u.test(name))) {
    throw new UsageError(`--${flag} must be one line of at most ${MAX_LENGTH} characters`);
  }
  return name || undefined;
}
