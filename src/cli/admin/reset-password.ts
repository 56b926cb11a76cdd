/** `galley admin reset-password`: lets somebody in again. */
import { UsageError } from '../../errors.ts';
import { meant } from '../../nearest.ts';
import { addressOf } from '../../users/administrators/administrator-bodies.ts';
import {
  findAdministratorByEmail,
  listAdministrators,
  setPassword,
} from '../../users/administrators/administrator-rows.ts';
import { endSessionsOfAdministrator } from '../../users/administrators/administrator-sessions.ts';
import { dropSecondFactor } from '../../users/administrators/second-factors.ts';
import { type Command, readArguments } from '../command.ts';
import { changeProject } from '../in-project.ts';
import { askForPassword } from './password.ts';

export const adminResetPasswordCommand: Command = {
  name: 'admin reset-password',
  summary: 'set the password of an administrator',
  help: `galley admin reset-password --email E [--drop-second-factor] [DIR]

Sets the password of an administrator of the project in DIR (default: the working folder), and ends all sessions of that
account. The password is asked for at the terminal, or read from standard input, as by galley admin create.

  --email E             address that the administrator signs in with
  --drop-second-factor  turns off the second factor, for somebody who has lost the device and the recovery codes`,
  async run(args, surroundings) {
    const flags = { email: { type: 'string' }, 'drop-second-factor': { type: 'boolean' } } as const;
    const { flag, switched, positionals } = readArguments('admin reset-password', args, flags, ['DIR']);
    const given = flag('email');
    if (!given) throw new UsageError('galley admin reset-password needs --email');
    const password = await askForPassword(surroundings);
    const found = await changeProject(positionals[0], surroundings, async (_, tx) => {
      const administrator = await findAdministratorByEmail(tx, addressOf(given) ?? given);
      if (!administrator) {
        const addresses = (await listAdministrators(tx)).map(({ email }) => email);
        throw new UsageError(`no administrator ${given}${meant(given, addresses) || ': see galley admin list'}`);
      }
      await setPassword(tx, administrator, password);
      await endSessionsOfAdministrator(tx, administrator.id);
      if (switched('drop-second-factor')) await dropSecondFactor(tx, administrator.id);
      return administrator;
    });
    const { email, isOpen } = found;
    surroundings.print(`Set the password of ${email}.`);
    if (!isOpen) surroundings.warn(`${email} is blocked or not active, and still cannot sign in.`);
    return 0;
  },
};
