/** Short forms for tests that write documents over HTTP with full access. */
import { deepStrictEqual } from 'node:assert/strict';
import type { SeededServer } from '../servers/seeded.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
type Data = any;

export interface Documents {
  /** Creates a document and gives it as answered. `query` begins without question mark. */
  create(plural: string, data: Data, query?: string): Promise<Data>;
  update(plural: string, documentId: string, data: Data, query?: string): Promise<Data>;
  remove(plural: string, documentId: string, query?: string): Promise<void>;
  /** The document, or undefined where it is not found. */
  read(plural: string, documentId: string, query?: string): Promise<Data>;
  /** The `name`s of a populated relation, in order; one name or null where it is to-one. */
  names(plural: string, documentId: string, attribute: string, query?: string): Promise<Data>;
  /** The error of a refused write. */
  refused(method: 'POST' | 'PUT', target: string, data: Data): Promise<Data>;
}

export function documentsOf(server: SeededServer): Documents {
  const token = server.secrets['full'];
  const write = async (method: string, target: string, data: Data): Promise<Data> => {
    const { status, body, text } = await server.request(method, target, { token, body: { data } });
    deepStrictEqual(status, 200, text);
    return body.data;
  };
  const read = async (plural: string, documentId: string, query = ''): Promise<Data> => {
    const { status, body } = await server.get(`/api/${plural}/${documentId}?${query}`, token);
    return status === 404 ? undefined : body.data;
  };
  return {
    create: (plural, data, query = '') => write('POST', `/api/${plural}?${query}`, data),
    update: (plural, documentId, data, query = '') => write('PUT', `/api/${plural}/${documentId}?${query}`, data),
    read,
    async remove(plural, documentId, query = '') {
      const { status } = await server.request('DELETE', `/api/${plural}/${documentId}?${query}`, { token });
      deepStrictEqual(status, 204);
    },
    async names(plural, documentId, attribute, query = '') {
      const document = await read(plural, documentId, `populate[${attribute}]=true&${query}`);
      const value = document[attribute];
      return Array.isArray(value) ? value.map(({ name }: Data) => name) : (value?.name ?? null);
    },
    async refused(method, target, data) {
      const { status, body, text } = await server.request(method, target, { token, body: { data } });
      deepStrictEqual(status, 400, text);
      return body.error;
    },
  };
}
