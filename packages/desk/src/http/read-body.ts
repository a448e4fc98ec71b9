import { HttpProblem } from './http-problem.ts';

/** The JSON in the body of a request; throws if it is something else, or too much. */
export async function readJsonBody(request: Request, mostBytes: number): Promise<unknown> {
  requireJson(request);
  const text = await readText(request, mostBytes);
  const value = parse(text);
  requireHarmless(value);
  return value;
}

/** No form of another site can send this type, and scripts of another site have to ask first. */
function requireJson({ headers }: Request): void {
  const [type = ''] = (headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() === 'application/json') return;
  throw new HttpProblem({
    status: 415,
    code: 'not-json',
    message: "Send JSON, with the content type 'application/json'.",
  });
}

async function readText(request: Request, mostBytes: number): Promise<string> {
  const said = Number(request.headers.get('content-length') ?? 0);
  if (said > mostBytes) throw tooLarge(mostBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // What was said may not be true, or nothing was said. To leave the loop gives up the rest of the body.
  for await (const chunk of chunksOf(request)) {
    size += chunk.byteLength;
    if (size > mostBytes) throw tooLarge(mostBytes);
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw invalidBody('It is not UTF-8.');
  }
}

/** The body as it comes. A client that goes away is nothing that the owner of the desk has to know. */
async function* chunksOf({ body }: Request): AsyncGenerator<Uint8Array> {
  const chunks = body?.[Symbol.asyncIterator]();
  if (chunks === undefined) return;
  try {
    for (;;) {
      const next = await chunks.next().catch(() => undefined);
      if (next === undefined) throw invalidBody('It has broken off.');
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message of the parser quotes the text, which may hold secrets.
    const place = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    throw invalidBody(place === undefined ? 'It is no JSON at all.' : `Look at position ${place}.`);
  }
}

const DEEPEST = 100;

/** Refuses what could be taken for something else further inside: too deep, or about prototypes. */
function requireHarmless(value: unknown): void {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) throw invalidBody(`It is nested more than ${DEEPEST} times.`);
    const objects = level.filter((one) => typeof one === 'object' && one !== null);
    if (objects.some((one) => Object.hasOwn(one, '__proto__'))) {
      throw invalidBody("There is a member called '__proto__' in it.");
    }
    level = objects.flatMap((one) => Object.values(one));
  }
}

function invalidBody(why: string): HttpProblem {
  return new HttpProblem({
    status: 400,
    code: 'invalid-body',
    message: `The body is not JSON that can be taken. ${why}`,
  });
}

function tooLarge(mostBytes: number): HttpProblem {
  return new HttpProblem({
    status: 413,
    code: 'too-large',
    message: `The body is too large: ${mostBytes} bytes are the most.`,
    details: { mostBytes },
    // Nobody reads the rest of it.
    headers: { connection: 'close' },
  });
}
