import { isPlainObject } from '../../internal/json.ts';
import { ChatProblem } from './chat-problem.ts';

/** The size of a request that handlers accept, unless their options say otherwise. */
export const DEFAULT_MAX_BODY_BYTES = 4_000_000;

/** Reads the JSON object in the body of a request, and stops when it exceeds the limit. */
export async function readJsonBody(
  request: Request,
  maxBytes: number,
): Promise<Readonly<Record<string, unknown>>> {
  const [mediaType] = (request.headers.get('content-type') ?? '').split(';');
  // Pages of other sites can send other types without a preflight request.
  if (mediaType?.trim().toLowerCase() !== 'application/json') {
    throw new ChatProblem(415, 'Send the messages as `application/json`.');
  }
  const text = await readText(request, maxBytes);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ChatProblem(400, 'The body is not valid JSON.');
  }
  if (!isPlainObject(body)) throw new ChatProblem(400, 'The body is not a JSON object.');
  return body;
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const tooLarge = new ChatProblem(413, `The request is larger than ${maxBytes} bytes.`);
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge;
  const reader = request.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      throw tooLarge;
    }
    text += decoder.decode(next.value, { stream: true });
  }
  return text + decoder.decode();
}
