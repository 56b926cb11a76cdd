/**
 * Names of processes that others can ask after: `<host>~<boot>~<namespace>~<process id>~<when it started>~<random>`.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

const NAME = /^(.+~[0-9a-f-]*~\d*)~(\d+)~(\d+)~[0-9a-f]+$/;

/** Where process ids mean what they mean here: containers of one host name, and the same host later, have others. */
const PLACE = [hostname(), bootId(), namespaceId()].join('~');

/** A new name for this process. */
export function processName(): string {
  return [PLACE, process.pid, startOf(process.pid), randomBytes(4).toString('hex')].join('~');
}

/** What can be said of the process of a name: of one elsewhere nothing can. */
export function processState(name: string): 'alive' | 'gone' | 'elsewhere' {
  const [, place, pid, start] = NAME.exec(name) ?? [];
  if (place !== PLACE) return 'elsewhere';
  return isAlive(Number(pid)) && startOf(Number(pid)) === start ? 'alive' : 'gone';
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** The number of the namespace of process ids (namespaces(7)); empty where the system has none. */
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
    // somebody else's process
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * When a process started, in ticks since the machine did: ids are given again, in containers at every start. Where
 * the system does not tell (`proc(5)`, `/proc/<pid>/stat`, field 22), 0; empty for a process that has ended and that
 * nobody has asked after yet (field 3).
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
