/**
 * Loaded before a test file: the runner then does not follow each promise to the test that it came from, which takes the
 * processor a tenth of its time. It does so to say which test an error belongs to that nobody has caught; without, such
 * an error fails the file. A suite must say what belongs to it at once, not behind an `await`.
 */
import hooks from 'node:async_hooks';

const { createHook } = hooks;

// the runner makes its hook as it is loaded, before anything else does; the types do not know of the last option
hooks.createHook = (callbacks) => {
  hooks.createHook = createHook;
  return createHook({ ...callbacks, trackPromises: false } as typeof callbacks);
};
