/**
 * Names of processes by which other processes can check whether they run: `<host>~<boot>~<namespace>~<process
 * id>~<start time>~<random>`.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

const NAME = /^(.+~[0-9a-f-]*~\d*)~(\d+)~(\d+)~[0-9a-f]+$/;

/** The scope of this process's id: other containers with the same host name, and other boots, reuse ids. */
const SCOPE = [hostname(), bootId(), namespaceId()].join('~');

/** A new name for this process. */
export function processName(): string {
  return [SCOPE, process.pid, startOf(process.pid), randomBytes(4).toString('hex')].join('~');
}

/** The state of a process; that of a process in another scope is unknown (`elsewhere`). */
export function processState(name: string): 'alive' | 'gone' | 'elsewhere' {
  const [, scope, pid, start] = NAME.exec(name) ?? [];
  if (scope !== SCOPE) return 'elsewhere';
  return isAlive(Number(pid)) && startOf(Number(pid)) === start ? 'alive' : 'gone';
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** The number of the process id namespace (namespaces(7)); empty if the system has none. */
function namespaceId(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // a process of another user
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * The start time of a process in ticks since boot, since ids are reused. 0 if the system does not tell (`proc(5)`,
 * `/proc/<pid>/stat`, field 22); empty for a process that has ended (field 3).
 */
function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // the second field is a name in parentheses and may contain anything
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return /^[ZX]$/.test(fields[0]!) ? '' : (fields[19] ?? '0');
  } catch {
    return '0';
  }
}
