/** `config/galley`: `audit`, the log of actions. Galley's own. */
import type { AuditConfig } from './config.ts';
import { type ConfigFile, isTree } from './config-file.ts';
import { headersAt, integerAt, textAt, unknownSetting, valueAt, wrong } from './values.ts';

/** Days and entries for which the log is stored, unless it is configured otherwise. */
const DAYS = 365;
const ENTRIES = 10_000_000;
const LONGEST = 36_500;
const MOST = 1_000_000_000;
const PROTOCOLS = ['udp', 'tcp', 'tls'] as const;
/** The ports of syslog. */
const PORTS = { udp: 514, tcp: 514, tls: 6514 } as const;

/** The settings, by the object that contains them. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  audit: ['days', 'entries', 'webhook', 'syslog'],
  'audit.webhook': ['url', 'headers', 'secret'],
  'audit.syslog': ['host', 'port', 'protocol', 'ca'],
};

/** The settings of the log. @throws UsageError, naming the key, for a wrong value. */
export function auditConfig(galley: ConfigFile): AuditConfig | undefined {
  const value = valueAt(galley, 'audit') ?? {};
  if (value === false) return undefined;
  if (!isTree(value)) throw wrong(galley, 'audit', 'an object, such as { days: 365 }, or false');
  for (const [path, known] of Object.entries(KEYS)) {
    const there = valueAt(galley, path) ?? {};
    if (!isTree(there)) throw wrong(galley, path, `an object with ${known.join(', ')}`);
    for (const key of Object.keys(there)) {
      if (!known.includes(key)) throw unknownSetting(galley.path, `${path}.${key}`, known);
    }
  }
  return Object.freeze({
    days: integerAt(galley, 'audit.days', DAYS, 1, LONGEST),
    entries: integerAt(galley, 'audit.entries', ENTRIES, 1000, MOST),
    webhook: webhookAt(galley),
    syslog: syslogAt(galley),
  });
}

function webhookAt(galley: ConfigFile): AuditConfig['webhook'] {
  const url = textAt(galley, 'audit.webhook.url');
  if (url === undefined) return undefined;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw wrong(galley, 'audit.webhook.url', 'an address of http or https');
  const headers = Object.freeze(headersAt(galley, 'audit.webhook.headers'));
  return { url, headers, secret: textAt(galley, 'audit.webhook.secret') };
}

function syslogAt(galley: ConfigFile): AuditConfig['syslog'] {
  const host = textAt(galley, 'audit.syslog.host');
  if (host === undefined) return undefined;
  const wanted = textAt(galley, 'audit.syslog.protocol') ?? 'udp';
  const protocol = PROTOCOLS.find((one) => one === wanted);
  if (!protocol) throw wrong(galley, 'audit.syslog.protocol', PROTOCOLS.join(' or '));
  const port = integerAt(galley, 'audit.syslog.port', PORTS[protocol], 1, 65_535);
  return { host, port, protocol, ca: textAt(galley, 'audit.syslog.ca') };
}
