/** The cookie that names a session. */
export const SESSION_COOKIE = 'holdpoint';

/** Redirects a browser with these cookies. The response hides the referrer, whose address may contain a token. */
export function sessionResponse(address: string, cookies: readonly string[]): Response {
  const headers = new Headers({
    location: address,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}
