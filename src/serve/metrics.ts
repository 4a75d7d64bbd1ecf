// The state of the server in OpenMetrics, for programs that watch it.
import type { ServeCounts } from './counts.js';

export const METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

export interface MetricsFacts {
  counts: ServeCounts;
  states: ReadonlyMap<string, number>;
  clients: number;
  /** Bytes that wait for clients to read them. */
  queued: number;
  /** Connections that were closed to make room for others. */
  dropped: number;
  lagSeconds: number;
  version: string;
}

type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

export function metricsText({ counts, states, clients, queued, dropped, lagSeconds, version }: MetricsFacts): string {
  const { rss, heapUsed } = process.memoryUsage();
  const families = [
    gauge('helve_build', 'The version of the server, as a label.', [[{ version }, 1]]),
    gauge(
      'helve_sessions',
      'Sessions of this machine that are at work or in the background, by state.',
      labelled('state', states),
    ),
    gauge('helve_clients', 'Clients that are connected.', plain(clients)),
    counter('helve_client_connections', 'Connections of clients since the start.', plain(counts.connections)),
    gauge('helve_event_queue_bytes', 'What waits for clients that read slowly.', plain(queued)),
    counter('helve_event_waits', 'How often a client read more slowly than it was sent to.', plain(counts.waits)),
    counter('helve_slow_closes', 'Clients that were disconnected since they read nothing.', plain(counts.slowCloses)),
    counter('helve_dropped_connections', 'Connections that were closed since too many were open.', plain(dropped)),
    counter('helve_host_ends', 'How often the host process ended with a client connected.', plain(counts.hostEnds)),
    counter('helve_messages', 'Messages of clients and to them.', [
      [{ direction: 'in' }, counts.messagesIn],
      [{ direction: 'out' }, counts.messagesOut],
    ]),
    counter('helve_message_bytes', 'Bytes of messages of clients and to them.', [
      [{ direction: 'in' }, counts.bytesIn],
      [{ direction: 'out' }, counts.bytesOut],
    ]),
    counter('helve_refused_messages', 'Messages that were malformed, unknown, or not allowed.', plain(counts.refused)),
    counter('helve_failed_sign_ins', 'Sign-ins with a wrong token or code.', plain(counts.failedSignIns)),
    counter(
      'helve_http_requests',
      'HTTP requests by the status of the answer.',
      labelled('status', counts.httpRequests),
    ),
    gauge('helve_process_resident_memory_bytes', 'Memory of the server process.', plain(rss)),
    gauge('helve_process_heap_bytes', 'Memory in use by its objects.', plain(heapUsed)),
    gauge('helve_event_loop_lag_seconds', 'How late its event loop was, 99 of 100 times.', plain(lagSeconds)),
  ];
  return `${families.flat().join('\n')}\n# EOF\n`;
}

const plain = (value: number): Sample[] => [[{}, value]];

const labelled = (label: string, values: ReadonlyMap<string | number, number>): Sample[] =>
  [...values].map(([name, value]) => [{ [label]: String(name) }, value]);

const gauge = (name: string, help: string, samples: readonly Sample[]): string[] =>
  family(name, 'gauge', help, name, samples);

const counter = (name: string, help: string, samples: readonly Sample[]): string[] =>
  family(name, 'counter', help, `${name}_total`, samples);

function family(name: string, type: string, help: string, sampleName: string, samples: readonly Sample[]): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value]) => `${sampleName}${labelText(labels)} ${value}`),
  ];
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (one) => (one === '\n' ? '\\n' : `\\${one}`))}"`,
  );
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
