/** Receivers of the log of actions: a webhook, and a syslog server (RFC 5424). */
import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { connect, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { AuditConfig, WebhooksConfig } from '../config/config.ts';
import { send } from '../events/webhooks/sender.ts';
import type { Entry } from './entry.ts';
import type { Target } from './forwarder.ts';

type Webhook = NonNullable<AuditConfig['webhook']>;
type Syslog = NonNullable<AuditConfig['syslog']>;

/** Milliseconds in which a syslog server must take a batch. */
const TIMEOUT = 10_000;
/** Characters of an address in the name of a target. */
const NAME = 200;

export function targetsOf({ webhook, syslog }: AuditConfig, webhooks: WebhooksConfig): Target[] {
  return [
    ...(webhook ? [webhookTarget(webhook, webhooks)] : []),
    ...(syslog ? [syslog.protocol === 'udp' ? udpTarget(syslog) : tcpTarget(syslog)] : []),
  ];
}

/** Sends batches as the event `audit.entries`, signed like other webhooks. */
function webhookTarget(webhook: Webhook, webhooks: WebhooksConfig): Target {
  const { origin, pathname } = new URL(webhook.url);
  // the operator has configured the address, which may be in the own network
  const config = { ...webhooks, defaultHeaders: {}, allowPrivateNetworks: true };
  return {
    // without a query, which may contain a secret
    name: `webhook ${origin}${pathname}`.slice(0, NAME),
    async send(entries, signal) {
      const event = 'audit.entries';
      const body = JSON.stringify({ event, createdAt: new Date().toISOString(), entries });
      const sent = await send(webhook, { id: `audit-${entries.at(-1)!.id}`, event, body }, config, signal);
      if (!sent.ok) throw new Error(sent.status === undefined ? sent.answer : `it answered ${sent.status}`);
    },
    close: () => {},
  };
}

/** The facility of audit logs, and the severities of entries. */
const FACILITY = 13;
const [WARNING, INFORMATIONAL] = [4, 6];
/** Characters of a host and of the id of a message. */
const [HOST, MESSAGE_ID] = [255, 32];

/** A message: its header, and the entry as JSON. */
function messageOf(entry: Entry): Buffer {
  const severity = entry.action.endsWith('.error') ? WARNING : INFORMATIONAL;
  const host =
    hostname()
      .replaceAll(/[^\x21-\x7e]/g, '')
      .slice(0, HOST) || '-';
  const head = `<${FACILITY * 8 + severity}>1 ${entry.at} ${host} galley ${process.pid} ${entry.action.slice(0, MESSAGE_ID)} -`;
  return Buffer.from(`${head} ${JSON.stringify(entry)}`);
}

const nameOf = ({ host, port, protocol }: Syslog): string => `syslog ${protocol}://${host}:${port}`.slice(0, NAME);

/** One datagram for each entry (RFC 5426). Nothing tells whether it arrives. */
function udpTarget(syslog: Syslog): Target {
  let socket: DatagramSocket | undefined;
  const close = () => {
    socket?.close();
    socket = undefined;
  };
  return {
    name: nameOf(syslog),
    async send(entries) {
      for (const entry of entries) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        socket ??= createSocket(syslog.host.includes(':') ? 'udp6' : 'udp4')
          .on('error', close)
          .unref();
        socket.send(messageOf(entry), syslog.port, syslog.host, (error) => (error ? reject(error) : resolve()));
        await promise;
      }
    },
    close,
  };
}

/** Messages with their lengths ahead of them (RFC 6587, 3.4.1, and RFC 5425), over a connection that stays open. */
function tcpTarget(syslog: Syslog): Target {
  let socket: Socket | undefined;
  const open = () => {
    const { host, port, ca } = syslog;
    const servername = isIP(host) ? {} : { servername: host };
    const own = (
      syslog.protocol === 'tls' ? connectTls({ host, port, ca, ...servername }) : connect(port, host)
    ).unref();
    // the sender learns of the error when the socket closes
    own.on('error', () => {});
    const forget = () => {
      if (socket === own) socket = undefined;
    };
    return own.on('end', forget).on('close', forget);
  };
  return {
    name: nameOf(syslog),
    async send(entries, signal) {
      socket ??= open();
      const own = socket;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const closed = () => reject(own.errored ?? new Error('the connection was closed'));
      const end = () => own.destroy(new Error('the server does not read'));
      const timer = setTimeout(end, TIMEOUT);
      signal.addEventListener('abort', end, { once: true });
      own.once('close', closed);
      const messages = entries.map(messageOf).flatMap((message) => [Buffer.from(`${message.length} `), message]);
      const write = () => own.write(Buffer.concat(messages), (error) => (error ? reject(error) : resolve()));
      // nothing is sent to a server whose certificate is not verified yet
      if (own instanceof TLSSocket && !own.authorized) own.once('secureConnect', write);
      else write();
      try {
        await promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        own.off('close', closed);
      }
    },
    close: () => socket?.destroy(),
  };
}
