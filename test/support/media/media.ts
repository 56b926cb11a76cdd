/** Helpers for tests of files: uploading them, and requesting their addresses. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CONFORMANCE_DIR } from '../servers/project.ts';
import type { SeededServer } from '../servers/seeded.ts';

const FILES = path.join(CONFORMANCE_DIR, '../files');

const TYPES: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.txt': 'text/plain',
  '.svg': 'image/svg+xml',
};

/** The bytes of a file of the conformance suite. */
export function sampleFile(name: string): Promise<Buffer> {
  return readFile(path.join(FILES, name));
}

/** A form with files of the conformance suite, and fields. */
export async function uploadForm(names: readonly string[], fields: Readonly<Record<string, string>> = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const name of names) {
    const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
    form.append('files', new Blob([new Uint8Array(await sampleFile(name))], { type }), name);
  }
  return form;
}

/** Uploads files of the conformance suite and gives their records. */
export async function uploadSamples(
  server: SeededServer,
  names: readonly string[],
  fields: Readonly<Record<string, string>> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
): Promise<any[]> {
  const body = await uploadForm(names, fields);
  const answer = await server.request('POST', '/api/upload', { token: server.secrets['full'], body });
  if (answer.status !== 201) throw new Error(`upload: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** All values under the keys that hold addresses of files, at any depth. */
export function addressesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(addressesIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    (key === 'url' || key === 'previewUrl') && typeof item === 'string' ? [item] : addressesIn(item),
  );
}

/** All objects that are files, at any depth. */
export function filesIn(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(filesIn);
  if (typeof value !== 'object' || value === null) return [];
  const own = 'hash' in value && 'documentId' in value ? [value as Record<string, unknown>] : [];
  return [...own, ...Object.values(value).flatMap(filesIn)];
}
