// A client of the server, which looks at everything that it promises.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { DeferredToolRequests, requestsCodec, resultsCodec, ToolDenied } from 'holdpoint';
import type { ResultsDocument } from 'holdpoint/deferral';
import { z } from 'zod';

const Run = z.object({
  id: z.string(),
  status: z.string(),
  output: z.string().optional(),
  requests: z
    .unknown()
    .optional()
    .transform((json) =>
      json === undefined ? new DeferredToolRequests({}) : requestsCodec.fromJSON(json),
    ),
});
const Problem = z.object({ error: z.string().min(1), code: z.string().optional() });

/** Goes through the server's promises. The addresses are of two servers over one database. */
export async function takeTour(path: string, [here, there]: [string, string]): Promise<void> {
  using database = new DatabaseSync(path);
  const refunds = () => database.prepare('SELECT * FROM refunds').all().length;

  // Somebody asks, and the run waits. The approver sees it at the other server.
  const asked = await post(`${here}/runs`, { prompt: 'The lamp of order 17 arrived broken.' });
  assert.equal(asked.status, 201);
  const { id, status } = Run.parse(asked.body);
  assert.equal(status, 'waiting');
  const [waiting, ...others] = z.array(Run).parse((await get(`${there}/runs`)).body);
  assert.ok(waiting?.id === id && others.length === 0);
  const { requests } = waiting;
  const previews = requests.approvals.map((call) => requests.get(call).details.preview);
  assert.deepEqual(previews, ['Pay 40 of 40 euros back to Ada']);

  // The answers carry the digests of what was shown.
  const yes = resultsCodec.toJSON(requests.buildResults({ approveAll: true }));
  await checkRefusals(here, id, yes);
  assert.equal(Run.parse((await get(`${there}/runs/${id}`)).body).status, 'waiting');
  assert.equal(refunds(), 0);

  // Somebody clicks twice, and the requests come to two servers: one goes on, one is told.
  const clicks = [here, there].map((server) => post(`${server}/runs/${id}/answers`, yes));
  const twice = await Promise.all(clicks);
  assert.deepEqual(twice.map((reply) => reply.status).toSorted(), [200, 409]);
  const done = Run.parse(twice.find((reply) => reply.status === 200)?.body);
  assert.equal(done.output, 'You get your money back.');
  assert.equal((await post(`${here}/runs/${id}/answers`, yes)).status, 409);
  assert.equal(refunds(), 1);

  await checkDenial(here);
  assert.equal(refunds(), 1);
}

/** What will not do is refused, with the reason. */
async function checkRefusals(server: string, id: string, yes: ResultsDocument): Promise<void> {
  const [call = ''] = Object.keys(yes.approvals);
  const { digests, ...withoutDigests } = yes;
  const forged = { approvals: { ...yes.approvals, x: true }, digests: { ...digests, x: 'x' } };
  const refused: [body: unknown, code?: string][] = [
    [{ ...yes, approvals: { [call]: 'yes' } }, 'invalid-json'],
    [{ ...yes, approvals: {}, digests: {} }, 'missing-results'],
    [{ ...yes, ...forged }, 'invalid-results'],
    [{ ...yes, digests: { [call]: 'of another call' } }, 'invalid-results'],
    [withoutDigests],
    ['{ broken'],
  ];
  for (const [body, code] of refused) {
    const reply = await post(`${server}/runs/${id}/answers`, body);
    assert.equal(reply.status, 400, JSON.stringify(reply.body));
    assert.equal(Problem.parse(reply.body).code, code);
  }
  assert.equal((await post(`${server}/runs`, { prompt: 17 })).status, 400);
  assert.equal((await get(`${server}/runs/none`)).status, 404);
  assert.equal((await post(`${server}/runs/none/answers`, yes)).status, 404);
}

/** A denial comes with its reason, for the model. */
async function checkDenial(server: string): Promise<void> {
  const { id, requests } = Run.parse((await post(`${server}/runs`, { prompt: 'Again!' })).body);
  const no = new ToolDenied('It was refunded before.');
  const approvals = Object.fromEntries(requests.approvals.map((call) => [call.toolCallId, no]));
  const answers = resultsCodec.toJSON(requests.buildResults({ approvals }));
  const reply = await post(`${server}/runs/${id}/answers`, answers);
  assert.equal(Run.parse(reply.body).output, 'I am sorry: It was refunded before.');
}

async function get(url: string) {
  return read(await fetch(url));
}

async function post(url: string, content: unknown) {
  const body = typeof content === 'string' ? content : JSON.stringify(content);
  const headers = { 'content-type': 'application/json' };
  return read(await fetch(url, { method: 'POST', headers, body }));
}

async function read(response: Response): Promise<{ status: number; body: unknown }> {
  return { status: response.status, body: await response.json() };
}
