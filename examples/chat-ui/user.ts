/** Returns the user of a request. Use the session of your application. */
export function userOf(request: Request): string | undefined {
  return request.headers.get('sec-fetch-site') === 'cross-site' ? undefined : 'ada';
}
