import { UserError } from 'holdpoint';

/** Validates the public address of a desk, and returns it without a slash at its end. */
export function checkUrl(what: string, address: string): string {
  // Programs without types may pass any value.
  const isText = typeof address === 'string' && URL.canParse(address);
  const url = isText ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search + url.hash !== '') {
    throw new UserError(
      `The ${what} is not an address. Pass one such as https://example.com/desk.`,
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    throw new UserError(
      `The ${what} begins with http:, so others on the network could read the requests. Pass an https address. ` +
        'Only a desk on this machine can use http.',
    );
  }
  return url.href.replace(/\/$/, '');
}

/** Returns whether an address is on this machine, so that requests use no network. */
export function isLoopback({ hostname }: URL): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname)
  );
}
