/** The cookie that names a session. */
export const SESSION_COOKIE = 'holdpoint';

/** Sends a browser on, with these cookies. The address that it comes from, which may hold a secret, is not told. */
export function sessionResponse(address: string, cookies: readonly string[]): Response {
  const headers = new Headers({
    location: address,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}
