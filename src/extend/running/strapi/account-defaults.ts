/**
 * Settings of accounts that the reference stores at its first start: templates of mails, and the providers by which
 * somebody may sign in. Code reads them to change some of it, and stores the whole.
 */
import { DEFAULT_TEMPLATES, NOBODY } from '../../../users/mail/mail-templates.ts';

const ICONS = { reset_password: 'sync', email_confirmation: 'check-square' } as const;

/** By name: icon, scope, and what else one has. */
const PROVIDERS: Readonly<
  Record<string, readonly [icon: string, scope: readonly string[] | undefined, more?: object]>
> = {
  discord: ['discord', ['identify', 'email']],
  facebook: ['facebook-square', ['email']],
  google: ['google', ['email']],
  github: ['github', ['user', 'user:email']],
  microsoft: ['windows', ['user.read']],
  twitter: ['twitter', undefined],
  instagram: ['instagram', ['user_profile']],
  vk: ['vk', ['email']],
  twitch: ['twitch', ['user:read:email']],
  linkedin: ['linkedin', ['r_liteprofile', 'r_emailaddress']],
  cognito: ['aws', ['email', 'openid', 'profile'], { subdomain: 'my.subdomain.com' }],
  reddit: ['reddit', ['identity']],
  auth0: ['', ['openid', 'email', 'profile'], { subdomain: 'my-tenant.eu' }],
  cas: ['book', ['openid email'], { subdomain: 'my.subdomain.com/cas' }],
  patreon: ['', ['identity', 'identity[email]']],
  keycloak: ['', ['openid', 'email', 'profile'], { subdomain: 'myKeycloakProvider.com/realms/myrealm' }],
};

/** A setting as the reference has it before anybody has changed it, by its key; undefined for any other key. */
export function accountDefaults(key: string): object | undefined {
  if (key === 'plugin_users-permissions_email') return templates();
  return key === 'plugin_users-permissions_grant' ? providers() : undefined;
}

function templates(): object {
  const template = (name: keyof typeof ICONS) => ({
    display: `Email.template.${name}`,
    icon: ICONS[name],
    options: {
      from: { name: 'Administration Panel', email: NOBODY },
      response_email: '',
      object: DEFAULT_TEMPLATES[name].subject,
      message: DEFAULT_TEMPLATES[name].message,
    },
  });
  return { reset_password: template('reset_password'), email_confirmation: template('email_confirmation') };
}

function providers(): object {
  const all = Object.entries(PROVIDERS).map(([name, [icon, scope, more]]) => [
    name,
    {
      ...{ icon, enabled: false, key: '', secret: '', callbackUrl: `api/auth/${name}/callback` },
      ...(scope ? { scope: [...scope] } : {}),
      ...more,
    },
  ]);
  return { email: { icon: 'envelope', enabled: true }, ...Object.fromEntries(all) };
}
