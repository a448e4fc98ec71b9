// The same desk with its own access: requesters do not approve their runs, and the payee is redacted.
import { openDesk } from '@holdpoint/desk';
import options from './cashier-desk.ts';

const desk = openDesk({
  ...options,
  authorize(request) {
    const [, id] =
      /^Bearer token-of-(ada|grace|acme)$/.exec(request.headers.get('authorization') ?? '') ?? [];
    const tenant = id === 'acme' ? 'acme' : 'default';
    return id === undefined ? undefined : { tenant, person: { id } };
  },
  http: { notRequester: true, redact: { pay: ['to'] } },
});

export default desk;
