/** Steps on the pages of content types. */
import type { Locator, Page } from 'playwright-core';

/** Creates a type from the page of all types, without writing it yet. */
export async function createType(
  page: Page,
  kind: string,
  values: Readonly<Record<string, string>>,
  set: (side: Locator) => Promise<unknown> = async () => {},
): Promise<void> {
  await page.getByRole('button', { name: 'New', exact: true }).click();
  await page.getByRole('menuitem', { name: kind }).click();
  const side = page.getByRole('dialog');
  for (const [label, value] of Object.entries(values)) await side.getByLabel(label).fill(value);
  await set(side);
  await side.getByRole('button', { name: 'Done' }).click();
}

/** Adds an attribute to the type of the page. */
export async function addAttribute(
  page: Page,
  kind: RegExp,
  label: string,
  set: (side: Locator) => Promise<unknown> = async () => {},
): Promise<void> {
  await page.getByRole('button', { name: 'Add attribute' }).first().click();
  const side = page.getByRole('dialog');
  await side.getByRole('button', { name: kind }).click();
  await side.getByLabel('Label').fill(label);
  await set(side);
  await side.getByRole('button', { name: 'Done' }).click();
}

/** The dialog with the effects of unsaved changes. */
export const review = (page: Page): Locator => page.getByRole('dialog', { name: 'Review the changes' });

/** Opens the dialog with the effects of unsaved changes. */
export const openReview = (page: Page): Promise<void> => page.getByRole('button', { name: 'Review and apply' }).click();

/** Applies the changes of the open dialog. */
export async function applyChanges(page: Page): Promise<void> {
  await review(page).getByRole('button', { name: 'Apply' }).and(page.locator(':enabled')).click();
  await page.getByText('Applied. The new schema is live.').waitFor();
}
