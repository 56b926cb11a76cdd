/** Tests a text against a regular expression, apart from the page, which some expressions would freeze. */
interface Question {
  readonly pattern: string;
  readonly text: string;
}

// The types of the app are those of pages.
const worker = self as unknown as {
  onmessage: (event: { readonly data: Question }) => void;
  postMessage: (answer: 'ready' | 'fits' | 'not') => void;
};

worker.onmessage = ({ data: { pattern, text } }) => worker.postMessage(new RegExp(pattern).test(text) ? 'fits' : 'not');
worker.postMessage('ready');
