/** Administrators whose answers are held against the contract. */
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { breaches } from '../browser/contract.ts';
import type { RunningServer } from '../servers/project.ts';
import { Browser } from './administrators.ts';

/** Somebody who has signed in. */
export async function signedIn(server: RunningServer, name: string): Promise<Browser> {
  const browser = new Browser(server);
  strictEqual((await browser.signIn(name)).status, 200);
  return browser;
}

/** Sends a request, and gives its answer if that is as the contract has it. */
export async function askHeld(as: Browser, method: string, target: string, body?: unknown) {
  const answer = await as.send(method, target, body);
  deepStrictEqual(breaches(method, target.split('?')[0]!, answer.status, answer.body), []);
  return answer;
}
