/** Uploads for tests: forms, and remaining files. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import type { Answer, RunningServer } from '../servers/project.ts';

const SAMPLES = path.join(import.meta.dirname, '../../conformance/files');

/** A file that is sent. */
export interface Sent {
  readonly name: string;
  readonly content: string | Buffer;
  readonly type?: string;
}

/** One of the sample files of the conformance scenarios, under another name if one is given. */
export function sample(file: string, name = file, type?: string): Sent {
  const content = readFileSync(path.join(SAMPLES, file));
  return type === undefined ? { name, content } : { name, content, type };
}

export const note = (name = 'note.txt', content = 'plain text'): Sent => ({ name, content, type: 'text/plain' });

/** A field's value; several make a part each, and what is no text is sent as JSON. */
export type Fields = Readonly<Record<string, unknown>>;

export function formOf(files: readonly Sent[], fields: Fields = {}): FormData {
  const form = new FormData();
  for (const { name, content, type } of files) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    form.append('files', new Blob([new Uint8Array(bytes)], type === undefined ? {} : { type }), name);
  }
  for (const [name, value] of Object.entries(fields)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      form.append(name, typeof item === 'string' ? item : JSON.stringify(item));
    }
  }
  return form;
}

/** Uploads files. */
export function upload(
  server: RunningServer,
  token: string | undefined,
  files: readonly Sent[],
  fields: Fields = {},
  query = '',
): Promise<Answer> {
  return server.request('POST', `/api/upload${query}`, { token, body: formOf(files, fields) });
}

/** Everything that uploads leave behind, without the trash: stored files with their sizes, temporary ones, and rows. */
export async function traces(server: RunningServer) {
  const uploads = path.join(server.app.config.publicDir, 'uploads');
  const names = existsSync(uploads) ? readdirSync(uploads, { recursive: true, encoding: 'utf8' }) : [];
  const files = names
    .map((name) => ({ name, stats: statSync(path.join(uploads, name), { throwIfNoEntry: false }) }))
    .filter(({ name, stats }) => stats?.isFile() && !name.startsWith('.trash'))
    .map(({ name, stats }) => `${name} ${stats!.size}`)
    .sort();
  const count = async (table: string) => {
    const [row] = await server.app.database.rows(`select count(*) from "${table}"`, []);
    return Number(row![0]);
  };
  const rows = {
    files: await count('files'),
    links: await count('files_related_mph'),
    foldered: await count('files_folder_lnk'),
  };
  return { files, rows };
}

/** The bytes of a form with one file in it. */
export function rawForm(boundary: string, content: string | Buffer, name = 'raw.txt'): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

/** Sends bytes as they are, then ends the connection, cuts it, or waits; gives what came back. */
export function sendRaw(
  server: RunningServer,
  bytes: readonly (string | Buffer)[],
  then: 'wait' | 'end' | 'cut' = 'wait',
): Promise<string> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => {
      socket.write(Buffer.concat(bytes.map((part) => Buffer.from(part))), () => {
        if (then === 'end') socket.end();
        if (then === 'cut') socket.resetAndDestroy();
      });
    });
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', (error) => (then === 'cut' ? resolve(text) : reject(error)));
    socket.on('close', () => resolve(text));
  });
}

/** The head of a raw upload. */
export function rawHead(token: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries({ host: 'x', authorization: `Bearer ${token}`, connection: 'close', ...headers });
  return `POST /api/upload HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}
