/** All pages and layers of the administration app, for screenshots and accessibility checks. */
import type { Page } from 'playwright-core';

export interface Scene {
  /** Also the name of the screenshot. */
  readonly name: string;
  readonly path: string;
  /** Brings the page into the state to show. */
  readonly show: (page: Page, isPhone: boolean) => Promise<unknown>;
  /** The layer to check, if the page itself is a scene of its own. */
  readonly within?: string;
  /** Whether the visitor is signed out. */
  readonly outside?: boolean;
  readonly phoneOnly?: boolean;
  /** Whether it can also be shown on the page of the scene before, once the layer of that one is closed. */
  readonly follows?: boolean;
}

const dialog = (page: Page) => page.getByRole('dialog').waitFor();

const svg = (colour: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="60"><rect width="80" height="60" fill="${colour}"/></svg>`,
  );

/** Waits for the library, and uploads files if it is empty. */
async function fillLibrary(page: Page): Promise<void> {
  const nothing = page.getByText('Nothing here yet');
  const fog = page.getByText('fog.svg').first();
  await nothing.or(fog).waitFor();
  // The page first shows stored data.
  const isFilled = await page.evaluate(`fetch('/admin/api/files').then((answer) => answer.json())
    .then(({ data }) => data.some(({ name }) => name === 'fog.svg'))`);
  if (isFilled) return fog.waitFor();
  const picture = (name: string, colour: string) => ({ name, mimeType: 'image/svg+xml', buffer: svg(colour) });
  const text = { name: 'tides.txt', mimeType: 'text/plain', buffer: Buffer.from('six hours') };
  const files = [picture('fog.svg', '#8fa3b0'), picture('pier.svg', '#c9a26b'), text];
  await page.locator('input[type=file]').first().setInputFiles(files);
  await page.getByText('3 files uploaded').waitFor();
  await fog.waitFor();
}

/** Creates a webhook with failed deliveries, unless there is one. */
async function fillWebhooks(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ask = async (path: string, body?: object) => {
      const init = body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      };
      return (await fetch(`/admin/api/${path}`, init)).json() as Promise<{ data: readonly unknown[] }>;
    };
    if ((await ask('webhooks')).data.length > 0) return;
    const events = ['entry.create', 'entry.publish', 'entry.unpublish'];
    const headers = { Authorization: 'Bearer of-the-site' };
    await ask('webhooks', { name: 'The site', url: 'http://127.0.0.1:9/rebuild', events, headers });
    const more = { url: 'https://search.example.org/harbour', events: ['entry.publish'], enabled: false };
    await ask('webhooks', { name: 'Search', ...more });
    await ask('content/api::article.article', { data: { title: 'Fog over the harbour' } });
  });
  await page.getByText('Retrying').first().waitFor();
}

/** The page of the printed address, without an administrator. */
export const firstScene = (address: string): Scene => ({
  name: 'first',
  path: `first${new URL(address).hash}`,
  outside: true,
  show: (page) => page.getByLabel('First name').waitFor(),
});

/** In the order of a first visit. */
export const SCENES: readonly Scene[] = [
  { name: 'sign-in', path: 'sign-in', outside: true, show: (page) => page.getByLabel('E-mail').waitFor() },
  {
    name: 'sign-in-refused',
    path: 'sign-in',
    outside: true,
    show: async (page) => {
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Enter your e-mail address.').waitFor();
    },
  },
  {
    name: 'forgotten',
    path: 'forgotten',
    outside: true,
    show: (page) => page.getByRole('heading', { name: 'Forgot your password?' }).waitFor(),
  },
  {
    name: 'link-used-up',
    path: 'invitation#token',
    outside: true,
    show: (page) => page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor(),
  },
  {
    name: 'first-used-up',
    path: 'first#token',
    outside: true,
    show: (page) => page.getByRole('heading', { name: 'This address is no longer valid' }).waitFor(),
  },
  { name: 'home', path: '', show: (page) => page.getByRole('heading', { level: 1 }).waitFor() },
  { name: 'account', path: 'account', show: (page) => page.getByText('this device').waitFor() },
  {
    name: 'palette',
    path: 'account',
    follows: true,
    within: '[role=dialog]',
    show: async (page, isPhone) => {
      if (isPhone) await page.getByRole('button', { name: 'Search or go to…' }).tap();
      else await page.getByRole('button', { name: /^Search or go to/ }).click();
      await page.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'second-step',
    path: 'account',
    follows: true,
    within: '[role=dialog]',
    show: async (page) => {
      await page.getByRole('button', { name: 'Set up' }).click();
      await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
    },
  },
  { name: 'components', path: 'samples.html', show: (page) => page.getByRole('grid').waitFor() },
  {
    name: 'combobox',
    path: 'samples.html',
    follows: true,
    within: '[role=combobox], [role=listbox]',
    show: async (page) => {
      await page.getByRole('combobox', { name: 'Tag' }).click();
      await page.getByRole('listbox').getByRole('option').first().waitFor();
    },
  },
  {
    name: 'menu',
    path: 'samples.html',
    follows: true,
    within: '[role=menu]',
    show: async (page) => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'dialogue',
    path: 'samples.html',
    follows: true,
    within: '[role=dialog], [role=status]',
    show: async (page) => {
      await page.getByRole('button', { name: 'Notice' }).click();
      await page.getByRole('button', { name: 'Dialogue' }).click();
      await dialog(page);
    },
  },
  {
    name: 'form',
    path: 'samples.html?page=form',
    show: async (page) => {
      await page.getByRole('textbox', { name: 'Body' }).waitFor();
      await page.getByRole('textbox', { name: 'Notes' }).waitFor();
      await page.getByRole('textbox', { name: 'Data' }).waitFor();
      await page.getByRole('button', { name: 'Expand all' }).click();
      await page.getByLabel('Who said it').first().waitFor();
    },
  },
  {
    name: 'mark',
    path: 'samples.html?page=form',
    follows: true,
    within: '[role=dialog]',
    show: async (page) => {
      await page.getByRole('textbox', { name: 'Body' }).waitFor();
      await page.getByRole('button', { name: 'was “Smoke and patience”' }).first().click();
      await dialog(page);
    },
  },
  {
    name: 'keys',
    path: '',
    within: '[role=dialog]',
    show: async (page) => {
      await page.keyboard.press('?');
      await dialog(page);
    },
  },
  {
    name: 'rail',
    path: '',
    within: '[role=dialog]',
    phoneOnly: true,
    show: async (page) => {
      await page.getByRole('button', { name: 'Open the menu' }).tap();
      await dialog(page);
    },
  },
  { name: 'webhooks', path: 'webhooks', show: fillWebhooks },
  {
    name: 'webhook',
    path: 'webhooks',
    follows: true,
    show: async (page) => {
      await fillWebhooks(page);
      await page.getByRole('link', { name: 'The site' }).click();
      const deliveries = page.getByRole('region', { name: 'Deliveries' });
      await deliveries.getByText('Retrying').waitFor();
    },
  },
  {
    name: 'webhook-new',
    path: 'webhooks/new',
    show: async (page) => {
      await page.getByRole('button', { name: 'Add header' }).click();
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByText('Select at least one.').waitFor();
    },
  },
  { name: 'permissions', path: 'permissions', show: (page) => page.getByRole('table').waitFor() },
  {
    name: 'permissions-role',
    path: 'permissions',
    follows: true,
    show: async (page) => {
      await page.getByRole('list', { name: 'Roles' }).getByRole('link', { name: 'Public' }).click();
      await page.getByRole('button', { name: 'Articles' }).click();
      await page.getByRole('checkbox', { name: 'Anyone can create documents of “Articles”' }).check();
      await page.getByText('1 unsaved change').waitFor();
    },
  },
  {
    name: 'permissions-review',
    path: 'permissions',
    within: '[role=dialog]',
    show: async (page) => {
      await page.getByRole('list', { name: 'Roles' }).getByRole('link', { name: 'Public' }).click();
      await page.getByRole('button', { name: 'Accounts' }).click();
      await page.getByRole('checkbox', { name: 'Anyone can change every account' }).check();
      await page.getByRole('button', { name: 'Review and save' }).click();
      await dialog(page);
    },
  },
  {
    name: 'token-new',
    path: 'tokens/new',
    show: async (page) => {
      await page.getByLabel('Rights').selectOption('Custom');
      await page.getByRole('button', { name: 'Articles' }).waitFor();
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByText('Enter a name.').waitFor();
    },
  },
  {
    name: 'health',
    path: 'health',
    show: async (page) => {
      await page.getByRole('button', { name: 'Examine' }).click();
      await page.getByText('No problems found.').waitFor();
      await page.getByText('Show values').last().click();
      await page.getByRole('heading', { name: 'Health' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'locales',
    path: 'locales',
    show: (page) => page.getByText('English (en)').first().waitFor(),
  },
  {
    name: 'locale-new',
    path: 'locales',
    follows: true,
    within: '[role=dialog]',
    show: async (page) => {
      await page.getByRole('button', { name: 'Add a locale' }).click();
      await page.getByRole('button', { name: 'Add a locale' }).last().click();
      await page.getByText('Enter the code of a language.').waitFor();
    },
  },
  {
    name: 'site',
    path: 'site',
    show: async (page) => {
      await page.getByLabel('Message').first().fill('<%= USER.secret %>');
      await page.getByRole('region', { name: 'Mail templates' }).getByRole('button', { name: 'Save' }).first().click();
      await page.getByText('A mail cannot contain').waitFor();
      await page.getByRole('button', { name: 'Test the storage' }).click();
      await page
        .getByText(/^It works|^Too many attempts/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'people',
    path: 'people',
    show: async (page) => {
      await page.evaluate(async () => {
        const body = JSON.stringify({ email: 'nell@example.org', firstname: 'Nell', roles: [2, 3] });
        await fetch('/admin/api/people', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      });
      await page.reload();
      await page.getByRole('link', { name: 'Nell' }).waitFor();
    },
  },
  {
    name: 'person-invite',
    path: 'people',
    follows: true,
    within: '[role=dialog]',
    show: async (page) => {
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByRole('dialog').getByLabel('Author').waitFor();
    },
  },
  {
    name: 'person',
    path: 'people',
    follows: true,
    show: async (page) => {
      await page.getByRole('link', { name: 'Mara' }).click();
      await page.getByRole('checkbox', { name: 'Super Admin' }).waitFor();
    },
  },
  { name: 'audit', path: 'audit', show: (page) => page.getByText('Signed in').first().waitFor() },
  { name: 'roles', path: 'roles', show: (page) => page.getByRole('link', { name: 'Editor' }).waitFor() },
  {
    name: 'role',
    path: 'roles',
    follows: true,
    show: async (page) => {
      await page.getByRole('link', { name: 'Author', exact: true }).click();
      await page.getByRole('button', { name: 'Articles' }).click();
      await page.getByRole('checkbox', { name: 'Delete: Articles' }).check();
      await page.getByRole('region', { name: 'Changes of permissions' }).waitFor();
    },
  },
  {
    name: 'role-changes',
    path: 'roles',
    within: '[role=dialog]',
    show: async (page) => {
      await page.getByRole('link', { name: 'Author', exact: true }).click();
      await page.getByRole('checkbox', { name: 'Delete: Articles' }).check();
      await page.getByRole('button', { name: 'Review and save' }).click();
      await dialog(page);
    },
  },
  {
    name: 'explore',
    path: 'explore?uid=api::article.article&query=filters[title][$eq]=Fog%26sort=title',
    show: async (page) => {
      await page.getByRole('tab', { name: 'curl' }).click();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('403', { exact: true }).waitFor();
    },
  },
  { name: 'trash-empty', path: 'trash', show: (page) => page.getByText('The trash is empty').waitFor() },
  {
    name: 'jobs',
    path: 'jobs',
    show: async (page) => {
      for (const name of ['count readers', 'send the newsletter']) {
        await page.getByRole('button', { name: `Run now: ${name}` }).click();
      }
      await page.getByText('the counter does not answer').waitFor();
      await page.getByText(/^Done/).first().waitFor();
      const long = page.getByRole('button', { name: /: tidy up$/ });
      // It is already running on a later visit.
      if ((await long.getAttribute('aria-disabled')) === null) await long.click();
      await page.getByRole('button', { name: 'Running: tidy up' }).waitFor();
    },
  },
  { name: 'library-empty', path: 'media?q=nothing', show: (page) => page.getByText('No results').waitFor() },
  { name: 'library', path: 'media', show: (page) => fillLibrary(page) },
  {
    name: 'library-file',
    path: 'media',
    follows: true,
    within: '[role=dialog]',
    show: async (page) => {
      await fillLibrary(page);
      await page.getByText('fog.svg').click();
      await page.getByRole('slider', { name: 'Focal point' }).waitFor();
    },
  },
  {
    name: 'library-list',
    path: 'media?view=list',
    show: async (page) => {
      await fillLibrary(page);
      await page.getByRole('checkbox', { name: 'Select fog.svg' }).check();
    },
  },
  {
    name: 'library-delete',
    path: 'media?view=list',
    follows: true,
    within: '[role=dialog]',
    show: async (page) => {
      await fillLibrary(page);
      await page.getByRole('checkbox', { name: 'Select fog.svg' }).check();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('Not used anywhere.').waitFor();
    },
  },
  {
    name: 'library-move',
    path: 'media?view=list',
    follows: true,
    within: '[role=dialog]',
    show: async (page) => {
      await fillLibrary(page);
      await page.getByRole('checkbox', { name: 'Select fog.svg' }).check();
      await page.getByRole('button', { name: 'Move', exact: true }).click();
      await page.getByRole('tree').waitFor();
    },
  },
  {
    name: 'picker',
    path: 'samples.html',
    within: '[role=dialog]',
    show: async (page) => {
      await page.getByRole('button', { name: 'Choose pictures' }).click();
      await page.getByRole('dialog').getByRole('gridcell', { name: 'fog.svg' }).click();
      await page.getByRole('button', { name: 'Use 1 file' }).waitFor();
    },
  },
  {
    name: 'types',
    path: 'types',
    show: (page) => page.getByText('does not run in development mode').waitFor(),
  },
  {
    name: 'types-diagram',
    path: 'types?view=diagram',
    show: async (page) => {
      await page.getByText('The diagram as a list').click();
      await page.getByRole('region', { name: 'Diagram of the content types' }).waitFor();
    },
  },
  {
    name: 'types-attribute',
    path: 'types/api::article.article?attribute=title',
    within: '[role=dialog]',
    show: async (page) => {
      await dialog(page);
      await page.getByText('Further options').click();
    },
  },
  { name: 'missing', path: 'nothing', show: (page) => page.getByText('Not found').waitFor() },
];
