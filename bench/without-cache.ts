/** A project whose answers are not remembered: requests that repeat would measure memory otherwise. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** Turns remembered answers off in a copy of the fixture's project. */
export function withoutAnswerCache(project: string): void {
  const rest = { defaultLimit: 25, maxLimit: 100, withCount: true, answerCache: { size: 0 } };
  writeFileSync(path.join(project, 'config/api.js'), `module.exports = ${JSON.stringify({ rest })};\n`);
}
