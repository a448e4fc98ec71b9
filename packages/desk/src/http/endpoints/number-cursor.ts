import { UserError } from 'holdpoint';

/** Cursors of lists whose items are numbered without gaps. Clients treat them as opaque text. */
export const numberCursor: {
  /** Returns the number of the last item of the previous page; 0 for the first page. */
  read(after: string | undefined): number;
  write(last: number): string;
} = {
  read(after) {
    if (after === undefined) return 0;
    const last = /^\d{1,16}$/.test(after) ? Number(after) : Number.NaN;
    if (Number.isSafeInteger(last)) return last;
    throw new UserError(
      '`after` is not a cursor of this list. Pass the `next` of a previous page.',
    );
  },
  write: (last) => String(last),
};
