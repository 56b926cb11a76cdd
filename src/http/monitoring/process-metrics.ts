/** Metrics of the process and of Node.js, under the names of prom-client's defaults, for which there are dashboards. */
import { readdir, readFile } from 'node:fs/promises';
import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { type Family, gauges, Histogram, single } from './prometheus.ts';

/** Upper bounds in seconds. */
const GC_BUCKETS = [0.001, 0.01, 0.1, 1, 2, 5];
const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};
const NANOSECONDS = 1e9;
const STARTED = Math.round(Date.now() / 1000 - process.uptime());

/** Node.js has no public API for these counts; they are omitted where it lacks them. */
const internals = process as unknown as Partial<Record<'_getActiveHandles' | '_getActiveRequests', () => object[]>>;

/** Watches the event loop and the garbage collector until it is closed. */
export class ProcessMetrics {
  readonly #delay: ReturnType<typeof monitorEventLoopDelay>;
  readonly #collections = new Histogram(
    'nodejs_gc_duration_seconds',
    'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
    GC_BUCKETS,
  );
  readonly #observer: PerformanceObserver;

  constructor() {
    this.#delay = monitorEventLoopDelay();
    this.#delay.enable();
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { detail, duration } = entry as PerformanceEntry & { detail: { kind: number } };
        const kind = GC_KINDS[detail.kind] ?? 'other';
        this.#collections.observe({ kind }, duration / 1000);
      }
    });
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** The current metrics; delays of the event loop are those since the last call. */
  async collect(): Promise<Family[]> {
    return [
      ...processorTime(),
      single('gauge', 'process_start_time_seconds', 'Start time of the process since unix epoch in seconds.', STARTED),
      ...(await memoryAndFiles()),
      ...(await this.#eventLoop()),
      ...active(),
      ...heap(),
      versionInfo(),
      this.#collections.family(),
    ];
  }

  close(): void {
    this.#delay.disable();
    this.#observer.disconnect();
  }

  async #eventLoop(): Promise<Family[]> {
    const name = (part: string) => `nodejs_eventloop_lag_${part}seconds`;
    const gauge = (part: string, help: string, value: number) =>
      single('gauge', name(part), help, Number.isFinite(value) ? value / NANOSECONDS : 0);
    const delay = this.#delay;
    const families = [
      gauge('min_', 'The minimum recorded event loop delay.', delay.min),
      gauge('max_', 'The maximum recorded event loop delay.', delay.max),
      gauge('mean_', 'The mean of the recorded event loop delays.', delay.mean),
      gauge('stddev_', 'The standard deviation of the recorded event loop delays.', delay.stddev),
      gauge('p50_', 'The 50th percentile of the recorded event loop delays.', delay.percentile(50)),
      gauge('p90_', 'The 90th percentile of the recorded event loop delays.', delay.percentile(90)),
      gauge('p99_', 'The 99th percentile of the recorded event loop delays.', delay.percentile(99)),
    ];
    delay.reset();
    const start = process.hrtime.bigint();
    await nextTurn();
    return [gauge('', 'Lag of event loop in seconds.', Number(process.hrtime.bigint() - start)), ...families];
  }
}

function processorTime(): Family[] {
  const { user, system } = process.cpuUsage();
  const counter = (part: string, noun: string, microseconds: number) =>
    single(
      'counter',
      `process_cpu_${part}seconds_total`,
      `Total ${noun} CPU time spent in seconds.`,
      microseconds / 1e6,
    );
  return [
    counter('user_', 'user', user),
    counter('system_', 'system', system),
    counter('', 'user and system', user + system),
  ];
}

/** Linux has more numbers than Node.js. */
async function memoryAndFiles(): Promise<Family[]> {
  const read = (file: string) => readFile(`/proc/self/${file}`, 'utf8').catch(() => '');
  const [status, limits, files] = await Promise.all([
    read('status'),
    read('limits'),
    readdir('/proc/self/fd').catch(() => undefined),
  ]);
  const bytes = (field: string): number | undefined => {
    const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  };
  const mostFiles = /^Max open files +(\d+)/m.exec(limits)?.[1];
  const found: readonly (readonly [name: string, help: string, value: number | undefined])[] = [
    ['process_resident_memory_bytes', 'Resident memory size in bytes.', bytes('VmRSS') ?? process.memoryUsage.rss()],
    ['process_virtual_memory_bytes', 'Virtual memory size in bytes.', bytes('VmSize')],
    ['process_heap_bytes', 'Process heap size in bytes.', bytes('VmData')],
    // one of them is the folder being read
    ['process_open_fds', 'Number of open file descriptors.', files && files.length - 1],
    [
      'process_max_fds',
      'Maximum number of open file descriptors.',
      mostFiles === undefined ? undefined : Number(mostFiles),
    ],
  ];
  return found.flatMap(([name, help, value]) => (value === undefined ? [] : [single('gauge', name, help, value)]));
}

/** Active resources of the event loop, by kind and in total. */
function active(): Family[] {
  const named = (objects: object[] | undefined) => objects?.map((object) => object.constructor?.name ?? 'Object');
  const kinds: readonly (readonly [name: string, what: string, found: string[] | undefined])[] = [
    ['nodejs_active_resources', 'active resources', process.getActiveResourcesInfo()],
    ['nodejs_active_handles', 'active libuv handles', named(internals._getActiveHandles?.())],
    ['nodejs_active_requests', 'active libuv requests', named(internals._getActiveRequests?.())],
  ];
  return kinds.flatMap(([name, noun, found]) => {
    if (!found) return [];
    const byType = Map.groupBy(found, (type) => type);
    const counts = Array.from(byType, ([type, { length }]) => [type, length] as const);
    return [
      gauges(name, `Number of ${noun} by type.`, 'type', counts),
      single('gauge', `${name}_total`, `Total number of ${noun}.`, found.length),
    ];
  });
}

function heap(): Family[] {
  const { heapTotal, heapUsed, external } = process.memoryUsage();
  const spaces = getHeapSpaceStatistics();
  const space = (noun: string, key: 'space_size' | 'space_used_size' | 'space_available_size') =>
    gauges(
      `nodejs_heap_space_size_${noun}_bytes`,
      `Process heap space size ${noun} from Node.js in bytes.`,
      'space',
      spaces.map((found) => [found.space_name.replace(/_space$/, ''), found[key]] as const),
    );
  return [
    single('gauge', 'nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.', heapTotal),
    single('gauge', 'nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.', heapUsed),
    single('gauge', 'nodejs_external_memory_bytes', 'Node.js external memory size in bytes.', external),
    space('total', 'space_size'),
    space('used', 'space_used_size'),
    space('available', 'space_available_size'),
  ];
}

function versionInfo(): Family {
  const { version } = process;
  const [major = '', minor = '', patch = ''] = version.slice(1).split('.');
  const samples = [{ labels: { version, major, minor, patch }, value: 1 }];
  return { name: 'nodejs_version_info', help: 'Node.js version info.', type: 'gauge', samples };
}
