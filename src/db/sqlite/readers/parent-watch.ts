/**
 * A thread of a reader process that ends the process when its parent is gone. The process itself would notice only
 * between two statements, and a statement may take long.
 */
const PARENT = process.ppid;
const INTERVAL = 1000;

setInterval(() => {
  if (process.ppid !== PARENT) process.kill(process.pid, 'SIGKILL');
}, INTERVAL);
