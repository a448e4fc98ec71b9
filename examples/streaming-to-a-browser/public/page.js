import { readEvents, toResults } from './read-events.js';

/** @typedef {import('./read-events.js').Parked} Parked */

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const prompt = /** @type {HTMLInputElement} */ (byId('prompt'));
const ask = /** @type {HTMLButtonElement} */ (byId('ask'));
const stop = /** @type {HTMLButtonElement} */ (byId('stop'));

let current = new AbortController();
/** @type {Parked | undefined} The parked run. */
let parked;

stop.addEventListener('click', () => current.abort());
byId('approve').addEventListener('click', () => decide(true));
byId('deny').addEventListener('click', () => decide(false));
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  show('text', '');
  void send({ prompt: prompt.value });
});

function decide(/** @type {boolean} */ approved) {
  if (parked === undefined) return;
  const { token, requests } = parked;
  void send({ token, results: toResults(requests, approved) });
}

/** Sends a prompt or results, and shows events until the run ends or the reader stops it. */
async function send(/** @type {object} */ body) {
  current = new AbortController();
  parked = undefined;
  show('tools', '');
  show('state', '');
  setBusy(true);
  try {
    await follow(body, current.signal);
  } catch {
    show('state', current.signal.aborted ? 'Stopped.' : 'The connection was lost.');
  }
  setBusy(false);
}

async function follow(/** @type {object} */ body, /** @type {AbortSignal} */ signal) {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body), signal };
  const response = await fetch('/chat', init);
  if (!response.ok) return show('state', (await response.json()).error);
  for await (const { name, data } of readEvents(response)) {
    if (name === 'text') byId('text').append(data);
    else if (name === 'tool') show('tools', `${data.name}: ${data.state}`);
    else if (name === 'parked') parked = data;
    else show('state', name === 'done' ? 'Done.' : 'Something went wrong.');
  }
}

function setBusy(/** @type {boolean} */ busy) {
  ask.disabled = busy;
  stop.disabled = !busy;
  const requests = parked?.requests ?? [];
  byId('request').hidden = requests.length === 0;
  show('preview', requests.map(({ preview }) => preview).join(' '));
}

/** Inserts text, never markup. */
function show(/** @type {string} */ id, /** @type {string} */ text) {
  byId(id).textContent = text;
}
