import { UserError } from 'holdpoint';
import { type DeskClient, DeskClientError, deskClient } from '@holdpoint/desk/client';
import type { Where } from './where.ts';

/** A desk that can be asked; dispose of it at the end. */
export interface ReachedDesk extends AsyncDisposable {
  readonly client: DeskClient;
}

/** Reaches a desk over HTTP, or opens one in a file. Both are asked in the same way. */
export async function reachDesk(where: Where): Promise<ReachedDesk> {
  if (where.kind === 'url') return served(where);
  const { openFile } = await import('./open-file.ts');
  return openFile(where);
}

function served({ url, token }: Extract<Where, { kind: 'url' }>): ReachedDesk {
  const headers: HeadersInit = token ? { authorization: `Bearer ${token}` } : {};
  const client = deskClient({
    url,
    headers,
    fetch: async (request) => requireDesk(await ask(url, request), url, token),
  });
  return { client, [Symbol.asyncDispose]: async () => {} };
}

async function ask(url: string, request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    const code: unknown = Object(Object(error).cause).code;
    const why = typeof code === 'string' ? ` (${code})` : '';
    throw new UserError(
      `Cannot reach the desk at ${url}${why}. Start the desk, or pass another \`--url\`.`,
      {
        cause: error,
      },
    );
  }
}

async function requireDesk(
  response: Response,
  url: string,
  token: string | undefined,
): Promise<Response> {
  if (response.status === 401 && !token) {
    throw new UserError(`The desk at ${url} wants to know who you are. Set HOLDPOINT_TOKEN.`);
  }
  // Whatever else it says about who is let in, it says better.
  if (response.status === 401 && (await codeOf(response)) === 'unauthenticated') {
    throw new UserError(
      `The desk at ${url} does not take the HOLDPOINT_TOKEN that is set. One that makes its own token ` +
        'makes and prints a new one each time it is started.',
    );
  }
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  if (response.ok && !isJson) throw new UserError(`What answers at ${url} is no desk.`);
  return response;
}

async function codeOf(response: Response): Promise<unknown> {
  const { code } = await DeskClientError.of(response.clone());
  return code;
}
