/**
 * Loaded before a test file: the runner then does not follow each promise and each request to the test that it came
 * from, which takes the processor a tenth of its time. It does so only to say which test an error belongs to that nobody
 * has caught; without, such an error fails the file.
 */
import hooks from 'node:async_hooks';

const { createHook } = hooks;

// the runner makes its hook as it is loaded, before anything else does
hooks.createHook = () => {
  hooks.createHook = createHook;
  return createHook({});
};
