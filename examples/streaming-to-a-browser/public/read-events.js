/**
 * A call that needs approval.
 *
 * @typedef {{ id: string, tool: string, preview: string, digest: string }} ApprovalRequest
 */

/**
 * A parked run. The token contains the run and is sent back with the results.
 *
 * @typedef {{ token: string, requests: ApprovalRequest[] }} Parked
 */

/**
 * An event of a run.
 *
 * @typedef {{ name: 'text', data: string }
 *   | { name: 'tool', data: { name: string | null, state: string } }
 *   | { name: 'parked', data: Parked }
 *   | { name: 'done' | 'failed', data: object }} ServerEvent
 */

/**
 * Reads the server-sent events of a response. `EventSource` cannot send a body.
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
      // The server sends no other events.
      yield/** @type {ServerEvent} */ ({ name, data: JSON.parse(data) });
    }
  }
}

/**
 * Builds the same decision for all requests, in the form that `resultsCodec.parse` reads. The digests bind the
 * decisions to the displayed calls.
 *
 * @param {readonly ApprovalRequest[]} requests
 * @param {boolean} approved
 */
export function toResults(requests, approved) {
  return {
    holdpoint: 'results',
    version: 1,
    approvals: Object.fromEntries(requests.map(({ id }) => [id, approved])),
    digests: Object.fromEntries(requests.map(({ id, digest }) => [id, digest])),
  };
}
