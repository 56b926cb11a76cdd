/**
 * What the page of the API does with a token: it asks for itself as the token's holder would. It is sent as text, within
 * the page. The token stays in the page's memory: it is in no address and in no storage.
 */
export const SCRIPT = `
const form = document.querySelector('form');
const told = form.querySelector('output');
const shown = document.querySelector('main');
const everybody = [...shown.childNodes];
let asked = 0;
const show = async (token) => {
  const own = ++asked;
  told.value = 'Asking …';
  let text;
  try {
    const headers = new Headers({ authorization: 'Bearer ' + token });
    const answer = await fetch(location.pathname, { headers, cache: 'no-store', credentials: 'omit' });
    const body = await answer.text();
    text = answer.ok ? '' : answer.status + ': ' + JSON.parse(body).error.message;
    if (own !== asked) return;
    if (answer.ok) {
      const page = new DOMParser().parseFromString(body, 'text/html');
      shown.replaceChildren(...page.querySelector('main').childNodes);
    }
  } catch {
    text = 'The server could not be asked with this token.';
  }
  if (own === asked) told.value = text;
};
form.addEventListener('submit', (event) => {
  event.preventDefault();
  show(form.elements.token.value.trim().replace(/^Bearer /i, ''));
});
form.addEventListener('reset', () => {
  asked += 1;
  told.value = '';
  shown.replaceChildren(...everybody);
});
if (location.protocol.startsWith('http')) {
  form.hidden = false;
  document.querySelector('#without')?.remove();
}
`;
