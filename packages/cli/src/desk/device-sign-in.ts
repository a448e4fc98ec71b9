import { setTimeout as sleep } from 'node:timers/promises';
import type { DeskClient, DeviceSignInView } from '@holdpoint/desk/client';
import { UserError } from 'holdpoint';
import type { Screen } from '../terminal/screen.ts';
import { duration } from './format.ts';

type SignedIn = Extract<DeviceSignInView, { readonly state: 'signed-in' }>;

/** Added to the interval whenever the provider demands it, as RFC 8628 states. */
const SLOW_DOWN_MS = 5_000;

/** Shows a code, and waits until a person has entered it at the provider. Returns the session of this program. */
export async function signInWithCode(client: DeskClient, screen: Screen): Promise<SignedIn> {
  const code = await client.beginDeviceSignIn();
  const { deviceCode, userCode, url, completeUrl, expiresAfter } = code;
  screen.plain(
    { text: `Open ${url} in a browser, and enter the code ${userCode}.` },
    ...(completeUrl === undefined ? [] : [{ text: `Or open ${completeUrl}` }]),
    {
      text: `The code is valid for ${duration(expiresAfter)}. Do not enter a code that another person sent you.`,
      style: 'dim',
    },
  );
  const end = performance.now() + expiresAfter;
  let { interval } = code;
  while (performance.now() < end) {
    await sleep(interval);
    const found = await client.finishDeviceSignIn(deviceCode);
    if (found.state === 'signed-in') return found;
    if (found.state === 'denied') {
      throw new UserError(
        'The sign-in was denied at the provider. Run `holdpoint login --device` again.',
      );
    }
    if (found.state === 'expired') break;
    if (found.state === 'slow-down') interval += SLOW_DOWN_MS;
  }
  throw new UserError('The code has expired. Run `holdpoint login --device` again.');
}
