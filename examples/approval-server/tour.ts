// A client that checks the behaviour of the server.
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

/** Checks two servers over one database. */
export async function takeTour(path: string, [here, there]: [string, string]): Promise<void> {
  using database = new DatabaseSync(path);
  const refunds = () => database.prepare('SELECT * FROM refunds').all().length;

  // A requester starts a run, which parks. The approver sees it at the other server.
  const started = await post(`${here}/runs`, { prompt: 'The lamp in order 17 arrived broken.' });
  assert.equal(started.status, 201);
  const { id, status } = Run.parse(started.body);
  assert.equal(status, 'parked');
  const [parked, ...others] = z.array(Run).parse((await get(`${there}/runs`)).body);
  assert.ok(parked?.id === id && others.length === 0);
  const { requests } = parked;
  const previews = requests.approvals.map((call) => requests.get(call).details.preview);
  assert.deepEqual(previews, ['Refund €40 of €40 to Ada']);

  // The results carry the digests of the displayed calls.
  const yes = resultsCodec.toJSON(requests.buildResults({ approveAll: true }));
  await checkRejections(here, id, yes);
  assert.equal(Run.parse((await get(`${there}/runs/${id}`)).body).status, 'parked');
  assert.equal(refunds(), 0);

  // A double click reaches both servers: one resumes the run, the other rejects the request.
  const clicks = [here, there].map((server) => post(`${server}/runs/${id}/results`, yes));
  const twice = await Promise.all(clicks);
  assert.deepEqual(twice.map((response) => response.status).toSorted(), [200, 409]);
  const done = Run.parse(twice.find((response) => response.status === 200)?.body);
  assert.equal(done.output, 'Your refund is on its way.');
  assert.equal((await post(`${here}/runs/${id}/results`, yes)).status, 409);
  assert.equal(refunds(), 1);

  await checkDenial(here);
  assert.equal(refunds(), 1);
}

/** Invalid results are rejected with the reason. */
async function checkRejections(server: string, id: string, yes: ResultsDocument): Promise<void> {
  const [call = ''] = Object.keys(yes.approvals);
  const { digests, ...withoutDigests } = yes;
  const forged = { approvals: { ...yes.approvals, x: true }, digests: { ...digests, x: 'x' } };
  const rejected: [body: unknown, code?: string][] = [
    [{ ...yes, approvals: { [call]: 'yes' } }, 'invalid-json'],
    [{ ...yes, approvals: {}, digests: {} }, 'missing-results'],
    [{ ...yes, ...forged }, 'invalid-results'],
    [{ ...yes, digests: { [call]: 'of another call' } }, 'invalid-results'],
    [withoutDigests],
    ['{ broken'],
  ];
  for (const [body, code] of rejected) {
    const response = await post(`${server}/runs/${id}/results`, body);
    assert.equal(response.status, 400, JSON.stringify(response.body));
    assert.equal(Problem.parse(response.body).code, code);
  }
  assert.equal((await post(`${server}/runs`, { prompt: 17 })).status, 400);
  assert.equal((await get(`${server}/runs/none`)).status, 404);
  assert.equal((await post(`${server}/runs/none/results`, yes)).status, 404);
}

/** The model receives the reason of a denial. */
async function checkDenial(server: string): Promise<void> {
  const { id, requests } = Run.parse((await post(`${server}/runs`, { prompt: 'Again!' })).body);
  const no = new ToolDenied('It was refunded before.');
  const approvals = Object.fromEntries(requests.approvals.map((call) => [call.toolCallId, no]));
  const results = resultsCodec.toJSON(requests.buildResults({ approvals }));
  const response = await post(`${server}/runs/${id}/results`, results);
  assert.equal(Run.parse(response.body).output, 'I am sorry: It was refunded before.');
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
