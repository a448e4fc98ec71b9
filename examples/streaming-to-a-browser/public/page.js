import { readEvents, toAnswers } from './read-events.js';

/** @typedef {import('./read-events.js').Waiting} Waiting */

const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const prompt = /** @type {HTMLInputElement} */ (byId('prompt'));
const ask = /** @type {HTMLButtonElement} */ (byId('ask'));
const stop = /** @type {HTMLButtonElement} */ (byId('stop'));

let current = new AbortController();
/** @type {Waiting | undefined} What the run waits for. */
let waiting;

stop.addEventListener('click', () => current.abort());
byId('approve').addEventListener('click', () => answer(true));
byId('deny').addEventListener('click', () => answer(false));
byId('form').addEventListener('submit', (event) => {
  event.preventDefault();
  show('answer', '');
  void send({ prompt: prompt.value });
});

function answer(/** @type {boolean} */ approved) {
  if (waiting === undefined) return;
  const { token, questions } = waiting;
  void send({ token, answers: toAnswers(questions, approved) });
}

/** Sends a question or answers, and shows what comes until it ends or somebody stops it. */
async function send(/** @type {object} */ body) {
  current = new AbortController();
  waiting = undefined;
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
    if (name === 'text') byId('answer').append(data);
    else if (name === 'tool') show('tools', `${data.name}: ${data.state}`);
    else if (name === 'waiting') waiting = data;
    else show('state', name === 'done' ? 'Done.' : 'Something went wrong.');
  }
}

function setBusy(/** @type {boolean} */ busy) {
  ask.disabled = busy;
  stop.disabled = !busy;
  const questions = waiting?.questions ?? [];
  byId('question').hidden = questions.length === 0;
  show('preview', questions.map(({ preview }) => preview).join(' '));
}

/** Text stays text, whatever the model says. */
function show(/** @type {string} */ id, /** @type {string} */ text) {
  byId(id).textContent = text;
}
