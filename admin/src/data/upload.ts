/** Uploads. They use XMLHttpRequest because `fetch` does not report the progress of a body. */
import { type AnswerOf, addressOf, failureOf, parsedBody, UnreachableError } from './client.ts';

interface SendOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes that were sent, and with the total. */
  readonly onProgress?: ((sent: number, total: number) => void) | undefined;
}

type FormRequest = 'POST files' | 'POST files/:id/replace' | 'POST rows/:uid/preview' | 'POST rows/:uid/imports';

/**
 * Sends a form with files.
 *
 * @throws RefusedError for every status from 400 on, UnreachableError without an answer, the reason of the signal when
 * it is aborted.
 */
export function sendForm<N extends FormRequest>(
  name: N,
  form: FormData,
  { params, signal, onProgress }: SendOptions = {},
): Promise<AnswerOf<N>> {
  const [method, path] = name.split(' ') as [string, string];
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const callOff = (): void => request.abort();
    const settle = (end: () => void): void => {
      signal?.removeEventListener('abort', callOff);
      end();
    };
    request.open(method, addressOf(path, params));
    request.setRequestHeader('accept', 'application/json');
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded, total);
    request.onload = () =>
      settle(() => {
        const { status, statusText, responseText } = request;
        const body = parsedBody(responseText, request.getResponseHeader('content-type'));
        if (status < 400) resolve(body as AnswerOf<N>);
        else
          reject(failureOf(path, { status, statusText, body, retryAfter: request.getResponseHeader('retry-after') }));
      });
    request.onerror = () => settle(() => reject(new UnreachableError('the server does not answer')));
    request.onabort = () => settle(() => reject(signal?.reason));
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener('abort', callOff);
    request.send(form);
  });
}
