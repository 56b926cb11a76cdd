/**
 * One request and its answer over connections that stay open, as `fetch` makes them with `redirect: 'manual'`, for
 * about half of the processor time: most of what the tests do is to send requests.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';

const agent = new Agent({ keepAlive: true });

/** What content encodings are undone by. */
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: promisify<Buffer, Buffer>(gunzip),
  deflate: promisify<Buffer, Buffer>(inflate),
  br: promisify<Buffer, Buffer>(brotliDecompress),
};

export interface Answer {
  readonly status: number;
  /** The JSON value of the body; undefined when the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers freely
  readonly body: any;
  readonly text: string;
  readonly headers: Headers;
}

/** Parses JSON, giving undefined for anything else. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws Error when the connection ends before the answer does. */
export async function send(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Answer> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const all = { accept: '*/*', 'user-agent': 'node', ...length, ...headers };
  const chunks: Buffer[] = [];
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, { method, headers: all, agent }, (response) => {
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve(response));
    });
    sent.on('error', reject);
    sent.end(body);
  });
  const bytes = Buffer.concat(chunks);
  const decode = bytes.length > 0 && DECODERS[answer.headers['content-encoding'] ?? ''];
  const text = String(decode ? await decode(bytes) : bytes);
  let made: Headers | undefined;
  return {
    status: answer.statusCode!,
    body: jsonOf(text),
    text,
    // made where they are looked at: they take as long as a small answer does
    get headers() {
      made ??= headersOf(answer);
      return made;
    },
  };
}

/** The same for a form with files. */
export async function sendForm(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: FormData,
): Promise<Answer> {
  const response = await fetch(url, { method, headers, redirect: 'manual', body });
  const text = await response.text();
  return { status: response.status, body: jsonOf(text), text, headers: response.headers };
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}
