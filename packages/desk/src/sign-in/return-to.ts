const MAX_LENGTH = 1_000;

/**
 * Returns the address to which a visitor is redirected after the sign-in. It is always an address of the desk, and it
 * is absolute, because browsers may read some paths as addresses of other sites.
 *
 * @param url - The public address of the desk.
 */
export function returnAddress(url: string, wanted: string | null | undefined): string {
  const home = `${url}/inbox`;
  // Browsers ignore some characters, and treat backslashes as slashes.
  if (!wanted?.startsWith('/') || wanted.length > MAX_LENGTH || /[\p{C}\\]/u.test(wanted))
    return home;
  const base = new URL(url);
  if (!URL.canParse(wanted, base)) return home;
  const address = new URL(wanted, base);
  const beginning = base.pathname.replace(/\/$/, '');
  const isOnDesk = address.origin === base.origin && address.pathname.startsWith(`${beginning}/`);
  return isOnDesk ? address.href : home;
}
