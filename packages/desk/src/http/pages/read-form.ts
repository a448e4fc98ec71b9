import { HttpProblem } from '../http-problem.ts';

const MOST_BYTES = 20_000;

/** The fields of a form that a small page has sent. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new HttpProblem({
      status: 415,
      code: 'not-a-form',
      message: 'Use the form of the page.',
    });
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) {
      const message = `The form is too large: ${MOST_BYTES} bytes are the most.`;
      throw new HttpProblem({ status: 413, code: 'too-large', message });
    }
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
