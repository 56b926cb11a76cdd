/** Requests of a page. */
import type { Page, Request } from 'playwright-core';

/** Resolves when the next request to an address has been answered or cancelled. */
export async function whenOver(page: Page, address: RegExp): Promise<void> {
  const isIt = (request: Request): boolean => address.test(request.url());
  await new Promise<void>((resolve) => {
    const over = (request: Request): void => {
      if (!isIt(request)) return;
      page.off('requestfinished', over).off('requestfailed', over);
      resolve();
    };
    page.on('requestfinished', over).on('requestfailed', over);
  });
}
