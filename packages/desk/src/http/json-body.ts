import type { MiddlewareHandler } from 'hono';
import { jsonTextProblem } from 'holdpoint/tools';
import { bodyLimit } from 'hono/body-limit';
import { HttpProblem } from './http-problem.ts';

/**
 * Reads the body of a request within a limit, and rejects JSON that handlers must not receive. The
 * validators of the routes read it again from memory.
 */
export function readBody(maxBytes: number): MiddlewareHandler {
  const limit = bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw tooLarge(maxBytes);
    },
  });
  return async (context, next) => {
    if (!mayChange(context.req.raw)) return next();
    let bytes: ArrayBuffer | undefined;
    try {
      await limit(context, async () => {
        bytes = await context.req.arrayBuffer();
      });
    } catch (error) {
      if (error instanceof HttpProblem) throw error;
      throw invalidBody('The connection ended before the whole body arrived.');
    }
    if (isJson(context.req.raw)) requireSafeJson(bytes ?? new ArrayBuffer());
    return next();
  };
}

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Returns true if the method of a request may change something. */
export function mayChange({ method }: Request): boolean {
  return !SAFE_METHODS.includes(method);
}

/**
 * Returns true if the content type of a request is JSON, which no form of another site can send.
 */
export function isJson({ headers }: Request): boolean {
  return /^application\/([a-z-.]+\+)?json\s*(;|$)/i.test(headers.get('content-type') ?? '');
}

/** JSON that is nested deeper could exhaust the stack of recursive functions. */
const MAX_DEPTH = 100;

function requireSafeJson(bytes: ArrayBuffer): void {
  const text = decode(bytes);
  let level: readonly unknown[] = [parse(text)];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw invalidBody(`It is nested more than ${MAX_DEPTH} times.`);
    const objects = level.filter((value) => typeof value === 'object' && value !== null);
    if (objects.some((value) => Object.hasOwn(value, '__proto__'))) {
      throw invalidBody('It has a member `__proto__`.');
    }
    level = objects.flatMap((value) => Object.values(value));
  }
  // The reason quotes the text, which may contain secrets.
  if (jsonTextProblem(text) !== undefined) throw invalidBody(AMBIGUOUS);
}

const AMBIGUOUS =
  'A key occurs twice in one object, or a number is too large to be represented exactly. ' +
  'Send each key once, and such numbers as text.';

function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidBody('It is not UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message of the parser quotes the text, which may contain secrets.
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1];
    throw invalidBody(
      position === undefined ? 'Check its syntax.' : `Check its syntax at position ${position}.`,
    );
  }
}

function invalidBody(reason: string): HttpProblem {
  return new HttpProblem({
    status: 400,
    code: 'invalid-body',
    message: `The body is not valid JSON. ${reason}`,
  });
}

function tooLarge(maxBytes: number): HttpProblem {
  return new HttpProblem({
    status: 413,
    code: 'too-large',
    message: `The body is larger than ${maxBytes} bytes. Send less, or raise \`http.maxBytes\`.`,
    details: { maxBytes },
    // The rest of the body is not read.
    headers: { connection: 'close' },
  });
}
