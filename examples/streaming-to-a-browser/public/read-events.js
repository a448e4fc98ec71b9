/**
 * A call that somebody has to approve.
 *
 * @typedef {{ id: string, tool: string, preview: string, digest: string }} Question
 */

/**
 * What a run waits for. The token is the run: it comes back with the answers.
 *
 * @typedef {{ token: string, questions: Question[] }} Waiting
 */

/**
 * What the server tells of a run.
 *
 * @typedef {{ name: 'text', data: string }
 *   | { name: 'tool', data: { name: string | null, state: string } }
 *   | { name: 'waiting', data: Waiting }
 *   | { name: 'done' | 'failed', data: object }} ServerEvent
 */

/**
 * The server-sent events of a response, as they come. `EventSource` could not send a body along.
 *
 * @param {Response} response
 * @returns {AsyncGenerator<ServerEvent, void, void>}
 */
export async function* readEvents(response) {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      // The server writes no others.
      yield/** @type {ServerEvent} */ ({ name, data: JSON.parse(data) });
    }
  }
}

/**
 * The same answer to all questions, in the form that `resultsCodec.parse` reads. `resultsCodec.stringify` writes it, too,
 * where Holdpoint is in the page; the digests say what the answers are about.
 *
 * @param {readonly Question[]} questions
 * @param {boolean} approved
 */
export function toAnswers(questions, approved) {
  return {
    holdpoint: 'results',
    version: 1,
    approvals: Object.fromEntries(questions.map(({ id }) => [id, approved])),
    digests: Object.fromEntries(questions.map(({ id, digest }) => [id, digest])),
  };
}
