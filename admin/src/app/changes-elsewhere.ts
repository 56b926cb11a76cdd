/** Follows changes of the schema and of the own rights that are made elsewhere: in other tabs, files, or commands. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { addressOf } from '../data/client.ts';
import { schemaQuery } from '../data/schema.ts';
import { presenceQuery } from '../data/session.ts';

/** The milliseconds before the first and the longest wait for another connection. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
/** The milliseconds before the second read, if another process answered that has not followed the change yet. */
const AGAIN = 1_000;
/** The reads after an event. Processes whose files differ never agree. */
const MOST_READS = 5;

/** The versions of the server; null after the end of the session. */
interface Versions {
  readonly session: string | null;
  readonly schema: string | null;
}

/** Reads the session and the schema again as soon as the server has others than this tab. */
export function useChangesElsewhere(): void {
  const client = useQueryClient();
  useEffect(() => followChanges(client), [client]);
}

/** Browsers limit the connections to a server, so only visible tabs have one. */
function followChanges(client: QueryClient): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = FIRST_PAUSE;
  const stop = (): void => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const later = (run: () => void, milliseconds: number): void => {
    clearTimeout(timer);
    timer = setTimeout(run, milliseconds);
  };
  const connect = (): void => {
    stop();
    if (document.hidden) return;
    const opened = new EventSource(addressOf('changes'));
    source = opened;
    opened.onmessage = ({ data }) => {
      pause = FIRST_PAUSE;
      const versions = JSON.parse(String(data)) as Versions;
      // the server ends the stream of a session that has ended
      if (versions.session === null) opened.close();
      void adjust(versions, opened);
    };
    opened.onerror = () => {
      stop();
      later(connect, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    };
  };
  const adjust = async (versions: Versions, from: EventSource, reads = 1): Promise<void> => {
    await readChanged(client, versions);
    if (source !== from) return;
    // another session may have begun in this browser
    if (versions.session === null) return later(connect, pause);
    const isOld = isOtherSession(client, versions) || isOtherSchema(client, versions);
    if (isOld && reads < MOST_READS) later(() => void adjust(versions, from, reads + 1), AGAIN * 2 ** (reads - 1));
  };
  connect();
  document.addEventListener('visibilitychange', connect);
  return () => {
    document.removeEventListener('visibilitychange', connect);
    stop();
  };
}

async function readChanged(client: QueryClient, versions: Versions): Promise<void> {
  // With other rights, every answer may be another one.
  if (isOtherSession(client, versions)) await client.invalidateQueries();
  else if (isOtherSchema(client, versions)) await client.invalidateQueries({ predicate: dependsOnSchema });
}

/** Everything but the session, the documents themselves included: they have other attributes. */
const dependsOnSchema = ({ queryKey }: { readonly queryKey: readonly unknown[] }): boolean =>
  queryKey[0] !== presenceQuery.queryKey[0];

function isOtherSession(client: QueryClient, { session }: Versions): boolean {
  const presence = client.getQueryData(presenceQuery.queryKey);
  return presence?.signedIn === true && presence.session.version !== session;
}

function isOtherSchema(client: QueryClient, { schema }: Versions): boolean {
  const known = client.getQueryData(schemaQuery.queryKey);
  return known !== undefined && schema !== null && known.version !== schema;
}
