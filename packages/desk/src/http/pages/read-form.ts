import { HttpProblem } from '../http-problem.ts';

const MAX_BYTES = 20_000;

/** Returns the fields of the form that a small page sent. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    const message = 'The request is not a form. Use the form of the page.';
    throw new HttpProblem({ status: 415, code: 'not-a-form', message });
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) {
      const message = `The form is larger than ${MAX_BYTES} bytes. Shorten the text.`;
      throw new HttpProblem({ status: 413, code: 'too-large', message });
    }
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString());
}
