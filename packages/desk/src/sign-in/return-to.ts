const LONGEST = 1_000;

/**
 * Where somebody goes after they have signed in: to an address of the desk, whatever was asked for. It is
 * given with its site, since a path of its own can be read as the address of another one.
 *
 * @param url - Where people reach the desk.
 */
export function returnAddress(url: string, wanted: string | null | undefined): string {
  const home = `${url}/inbox`;
  // Browsers leave out some characters, and take some slashes for others.
  if (!wanted?.startsWith('/') || wanted.length > LONGEST || /[\p{C}\\]/u.test(wanted)) return home;
  const base = new URL(url);
  if (!URL.canParse(wanted, base)) return home;
  const address = new URL(wanted, base);
  const beginning = base.pathname.replace(/\/$/, '');
  const isOwn = address.origin === base.origin && address.pathname.startsWith(`${beginning}/`);
  return isOwn ? address.href : home;
}
