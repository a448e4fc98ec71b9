/** Returns the bearer token of a request; `undefined` if it has none. */
export function bearerToken({ headers }: Request): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1];
}
