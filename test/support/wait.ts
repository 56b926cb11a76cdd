/** Waiting for something to become so. */

/** How often it is looked at, in milliseconds. */
const STEP = 20;
/** After so many milliseconds it is taken for never, on a machine that is busy with other programs too. */
const LONGEST = 60_000;

/**
 * Waits until `condition` gives something other than false, null and undefined, and gives that.
 *
 * @throws Error that says what was waited for.
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
): Promise<Exclude<T, false | null | undefined>> {
  const end = Date.now() + LONGEST;
  for (;;) {
    const found = await condition();
    if (found !== false && found !== null && found !== undefined) {
      return found as Exclude<T, false | null | undefined>;
    }
    if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, STEP));
  }
}

/** Waits until something is twice the same, as what moves is not, and gives it. */
export async function settled<T>(what: string, look: () => Promise<T>): Promise<T> {
  let before: { readonly value: T } | undefined;
  const { value } = await until(`${what} is the same twice`, async () => {
    const now = { value: await look() };
    const isSame = before?.value === now.value;
    before = now;
    return isSame && now;
  });
  return value;
}
