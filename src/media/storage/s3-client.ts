/**
 * Sends requests to a bucket: signed, with time limits, and repeated if that may help. AWS's own client takes 22 MB on
 * disk, more than a quarter of what Galley may install.
 */
import type { ReadStream } from 'node:fs';
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import aws4 from 'aws4';
import sax from 'sax';
import type { S3Credentials } from '../../config/config.ts';
import type { S3Address } from './s3-address.ts';

/** The most attempts of a request. */
const ATTEMPTS = 3;
/** The longest pause before the second attempt in milliseconds; twice as long before the third. */
const PAUSE = 100;
/** Milliseconds to connect, and without any data. */
const CONNECTION_TIMEOUT = 10_000;
const IDLE_TIMEOUT = 60_000;
/** Concurrent connections. */
const SOCKETS = 50;
/** Bytes of a body that is sent only after the store has agreed (`Expect`), and milliseconds to wait for that. */
const ASKED_FIRST = 2 * 1024 * 1024;
const CONTINUE_TIMEOUT = 6000;
/** Bytes of a text answer: a page of a list has a thousand names of 1,024 bytes, encoded. */
const LONGEST_TEXT = 8 * 1024 * 1024;

/** An error of the store; its name is the code: `NoSuchBucket`, `AccessDenied`, … */
export class S3Error extends Error {
  readonly status: number;

  constructor(name: string, status: number, message: string) {
    super(message || `The object store answered ${status}`);
    this.name = name;
    this.status = status;
  }
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The object's name; the bucket itself if it is missing. */
  readonly name?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | StreamedBody;
}

/** A body that is read again for each attempt. */
export interface StreamedBody {
  /** Bytes. */
  readonly length: number;
  open(): ReadStream;
}

interface ClientOptions {
  readonly region: string;
  readonly address: S3Address;
  readonly credentials: () => Promise<S3Credentials>;
}

export class S3Client {
  readonly #options: ClientOptions;
  readonly #secure: boolean;
  readonly #http: typeof import('node:http') | typeof import('node:https');
  readonly #agent: import('node:http').Agent;
  /** Milliseconds by which the store's clock is ahead. */
  #ahead = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#secure = options.address.endpoint.startsWith('https:');
    this.#http = this.#secure ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
    this.#agent = new this.#http.Agent({ keepAlive: true, maxSockets: SOCKETS });
  }

  /**
   * Sends a request, up to three times. The caller must read or destroy the body of the answer.
   *
   * @throws S3Error for an error of the store; errors of the keys' provider and the network.
   */
  send(request: S3Request): Promise<IncomingMessage> {
    return this.#attempts(request, async (answer) => answer);
  }

  /** Sends a request and returns the text of its answer; repeated if the answer is cut off. */
  text(request: S3Request): Promise<string> {
    return this.#attempts(request, readText);
  }

  /**
   * Sends a request and returns its answer as XML. Some errors have status 200, since the answer had already begun;
   * they are treated like others, and invalid XML is requested again.
   *
   * @throws S3Error and others as `send`; Error for invalid XML.
   */
  document(request: S3Request): Promise<XmlElement> {
    return this.#attempts(request, async (answer) => {
      const text = await readText(answer);
      const root = parseXml(text);
      if (root.name === 'Error') throw errorOf(text, 500);
      return root;
    });
  }

  async #attempts<T>(request: S3Request, read: (answer: IncomingMessage) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      // a failing provider has already repeated its attempts
      const keys = await this.#options.credentials();
      try {
        const answer = await this.#sendOnce(request, keys);
        const { statusCode = 0 } = answer;
        if (statusCode < 200 || statusCode >= 300) throw await this.#refusal(answer, statusCode);
        return await read(answer);
      } catch (error) {
        if (attempt === ATTEMPTS || !mayHelpAgain(error)) throw error;
        await after(Math.random() * PAUSE * 2 ** (attempt - 1));
      }
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #sendOnce({ method, name = '', query, headers, body }: S3Request, keys: S3Credentials): Promise<IncomingMessage> {
    const { region, address } = this.#options;
    const { origin, path } = address.requestOf(name);
    const { host, hostname, port } = new URL(origin);
    const streamed = typeof body === 'object';
    const options = {
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      agent: this.#agent,
      method,
      path: query === undefined ? path : `${path}?${new URLSearchParams(query)}`,
      service: 's3',
      region,
      ...(typeof body === 'string' ? { body } : {}),
      headers: {
        ...headers,
        Host: host,
        'X-Amz-Date': new Date(Date.now() + this.#ahead).toISOString().replace(/[:-]|\.\d{3}/g, ''),
        ...(streamed ? { 'Content-Length': body.length, 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' } : {}),
        ...(streamed && body.length >= ASKED_FIRST ? { Expect: '100-continue' } : {}),
      },
    };
    const signed = aws4.sign(options as aws4.Request, signingKeys(keys)) as RequestOptions;
    return exchange(this.#http.request(signed), body, this.#secure);
  }

  async #refusal(answer: IncomingMessage, status: number): Promise<S3Error> {
    const text = await readText(answer).catch(() => '');
    const error = errorOf(text, status);
    const date = Date.parse(answer.headers.date ?? '');
    if (error.name === 'RequestTimeTooSkewed' && !Number.isNaN(date)) this.#ahead = date - Date.now();
    return error;
  }
}

/** Keys for the signing library. */
export function signingKeys({ accessKeyId, secretAccessKey, sessionToken }: S3Credentials): aws4.Credentials {
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

/** The error in an answer. Answers to HEAD and those of proxies have none. */
export function errorOf(text: string, status: number): S3Error {
  try {
    const root = parseXml(text);
    // the token service nests it one level deeper
    const error = root.children.find(({ name }) => name === 'Error') ?? root;
    return new S3Error(childText(error, 'Code') ?? 'Unknown', status, childText(error, 'Message') ?? '');
  } catch {
    return new S3Error(status === 404 ? 'NotFound' : 'Unknown', status, '');
  }
}

/** Reads an answer as text. @throws Error for an answer that is cut off or too long. */
export async function readText(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST_TEXT) throw new Error('The answer of the object store is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Codes of errors below 500 that may be temporary. */
const PASSING = new Set(['RequestTimeout', 'RequestTimeTooSkewed', 'Throttling', 'ThrottlingException', 'SlowDown']);

function mayHelpAgain(error: unknown): boolean {
  if (!(error instanceof S3Error)) return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  return error.status >= 500 || error.status === 429 || PASSING.has(error.name);
}

/** Sends a request's body and waits for the head of the answer. After a failure nothing stays open. */
function exchange(
  request: ClientRequest,
  body: string | StreamedBody | undefined,
  secure: boolean,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { length = 0 } = body ?? {};
    let opened: ReadStream | undefined;
    let waiting: NodeJS.Timeout | undefined;
    const fail = (error: Error): void => {
      clearTimeout(waiting);
      opened?.destroy();
      request.destroy();
      reject(error);
    };
    const sendBody = (): void => {
      clearTimeout(waiting);
      if (opened || request.destroyed || typeof body !== 'object') return;
      opened = body.open().on('error', fail);
      opened.pipe(request);
    };
    request.on('error', fail);
    request.setTimeout(IDLE_TIMEOUT, () => fail(new Error(`The object store was silent for ${IDLE_TIMEOUT} ms`)));
    limitConnecting(request, secure, fail);
    request.on('response', (answer) => {
      clearTimeout(waiting);
      // an answer before the end of the body is an error: the rest is not sent
      if (opened && opened.bytesRead < length) {
        opened.unpipe(request).destroy();
        answer.once('close', () => request.destroy());
      } else if (typeof body === 'object' && !opened) {
        answer.once('close', () => request.destroy());
      }
      resolve(answer);
    });
    if (typeof body !== 'object') return void request.end(body);
    if (request.getHeader('expect') === undefined) return sendBody();
    request.once('continue', sendBody);
    // some stores never send `100 Continue`
    waiting = setTimeout(sendBody, CONTINUE_TIMEOUT);
    request.flushHeaders();
  });
}

function limitConnecting(request: ClientRequest, secure: boolean, fail: (error: Error) => void): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    const message = `No connection to the object store within ${CONNECTION_TIMEOUT} ms`;
    const timer = setTimeout(() => fail(new Error(message)), CONNECTION_TIMEOUT);
    socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(timer));
    request.once('close', () => clearTimeout(timer));
  });
}

export interface XmlElement {
  readonly name: string;
  readonly children: readonly XmlElement[];
  /** Its own text, without that of children. */
  readonly text: string;
}

/** Parses an XML document. @throws Error for invalid XML. */
export function parseXml(text: string): XmlElement {
  const parser = sax.parser(true);
  const root = { name: '', children: [] as XmlElement[], text: '' };
  const open = [root];
  const addText = (piece: string): void => {
    open.at(-1)!.text += piece;
  };
  parser.onopentag = ({ name }) => {
    const element = { name, children: [], text: '' };
    open.at(-1)!.children.push(element);
    open.push(element);
  };
  parser.onclosetag = () => void open.pop();
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onerror = (error) => {
    throw error;
  };
  parser.write(text.trimStart()).close();
  const [document] = root.children;
  if (!document) throw new Error('The answer is empty');
  return document;
}

/** The text of the first child with a name; undefined if there is none. */
export function childText(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}
