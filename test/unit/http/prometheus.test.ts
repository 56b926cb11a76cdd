/** The text that Prometheus reads. */
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProcessMetrics } from '../../../src/http/monitoring/process-metrics.ts';
import { exposition, gauges, Histogram, single } from '../../../src/http/monitoring/prometheus.ts';

describe('metrics as text', () => {
  it('have a help, a type, and a line for each series', () => {
    const families = [
      single('counter', 'a_total', 'Lines\nand \\', 3),
      gauges('b', 'Kinds', 'kind', [
        ['x', 1.5],
        ['say "hi"\n\\', 0],
      ]),
      gauges('c', 'None', 'kind', []),
    ];
    const lines = [
      '# HELP a_total Lines\\nand \\\\\n# TYPE a_total counter\na_total 3\n',
      '# HELP b Kinds\n# TYPE b gauge\nb{kind="x"} 1.5\nb{kind="say \\"hi\\"\\n\\\\"} 0\n',
      '# HELP c None\n# TYPE c gauge\n',
    ];
    strictEqual(exposition(families), lines.join('\n'));
  });

  it('count durations in every bucket that they are below', () => {
    const histogram = new Histogram('h_seconds', 'Times', [0.1, 1]);
    for (const seconds of [0.05, 0.1, 0.5, 2]) histogram.observe({ route: '/a', status: '200' }, seconds);
    histogram.observe({ route: '/b', status: '404' }, 0.25);
    const lines = exposition([histogram.family()]).trimEnd().split('\n').slice(2);
    const ofA = 'route="/a",status="200"';
    const ofB = 'route="/b",status="404"';
    deepStrictEqual(lines, [
      `h_seconds_bucket{le="0.1",${ofA}} 2`,
      `h_seconds_bucket{le="1",${ofA}} 3`,
      `h_seconds_bucket{le="+Inf",${ofA}} 4`,
      `h_seconds_sum{${ofA}} 2.65`,
      `h_seconds_count{${ofA}} 4`,
      `h_seconds_bucket{le="0.1",${ofB}} 0`,
      `h_seconds_bucket{le="1",${ofB}} 1`,
      `h_seconds_bucket{le="+Inf",${ofB}} 1`,
      `h_seconds_sum{${ofB}} 0.25`,
      `h_seconds_count{${ofB}} 1`,
    ]);
  });

  it('contain the process metrics of dashboards for Node.js', async () => {
    const metrics = new ProcessMetrics();
    try {
      const text = exposition(await metrics.collect());
      for (const pattern of [
        /^process_cpu_seconds_total \d/m,
        /^process_start_time_seconds \d{10}$/m,
        /^process_resident_memory_bytes [1-9]\d{6}/m,
        /^nodejs_eventloop_lag_seconds \d/m,
        /^nodejs_eventloop_lag_p99_seconds \d/m,
        /^nodejs_active_handles_total \d/m,
        /^nodejs_active_resources_total \d/m,
        /^nodejs_heap_size_used_bytes [1-9]/m,
        /^nodejs_heap_space_size_used_bytes\{space="old"\} [1-9]/m,
        /^nodejs_version_info\{version="v\d+\.\d+\.\d+",major="\d+",minor="\d+",patch="\d+"\} 1$/m,
        /^# TYPE nodejs_gc_duration_seconds histogram$/m,
      ]) {
        match(text, pattern);
      }
    } finally {
      metrics.close();
    }
  });
});
