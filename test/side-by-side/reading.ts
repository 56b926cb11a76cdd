/** What both sides read of everything that was written. */
import { isDeepStrictEqual } from 'node:util';
import type { Pair, Side } from './pair.ts';

const LISTS = [
  'pages?status=published&populate[peers][fields]=title&populate[shelf][fields]=name',
  'pages?status=draft&populate[peers][fields]=title&populate[shelf][fields]=name',
  'notes?populate[page][fields]=title',
];
const PAGE = 100;

interface Version {
  readonly documentId: string;
}

/** Reads every list on both sides and gives how many versions there are, and the names of those that differ. */
export async function differences(pair: Pair): Promise<{ compared: number; differing: readonly string[] }> {
  let compared = 0;
  const differing: string[] = [];
  for (const list of LISTS) {
    const [strapi, galley] = [await readAll(pair.strapi, list), await readAll(pair.galley, list)];
    for (const id of new Set([...strapi.keys(), ...galley.keys()])) {
      compared++;
      const [one, other] = [strapi.get(id), galley.get(id)];
      if (!isDeepStrictEqual(one, other)) {
        differing.push(`${list} ${id}: ${JSON.stringify(one)} at Strapi, ${JSON.stringify(other)} at Galley`);
      }
    }
  }
  return { compared, differing };
}

async function readAll(side: Side, list: string): Promise<Map<string, Version>> {
  const found = new Map<string, Version>();
  for (let page = 1; ; page++) {
    const target = `/api/${list}&sort=id&pagination[page]=${page}&pagination[pageSize]=${PAGE}`;
    const { status, body } = await side.send('GET', target.replaceAll('[', '%5B').replaceAll(']', '%5D'));
    if (status !== 200) throw new Error(`${target}: ${status} ${JSON.stringify(body)}`);
    const data = body!.data as Version[];
    for (const version of data) found.set(version.documentId, version);
    if (data.length < PAGE) return found;
  }
}
