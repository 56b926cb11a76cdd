/**
 * A thread of a reader process that ends it when its parent is gone. The process itself learns of that only between two
 * statements, and a statement may take long.
 */
const PARENT = process.ppid;
/** Milliseconds between two looks. */
const INTERVAL = 1000;

setInterval(() => {
  if (process.ppid !== PARENT) process.kill(process.pid, 'SIGKILL');
}, INTERVAL);
