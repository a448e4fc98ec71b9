/** Returns sentences about changes that a verification cannot detect. */
export function blindSpots(seen: {
  readonly entries: number;
  readonly signedEntries: number;
  readonly signedUntil: number | undefined;
}): readonly string[] {
  const { entries, signedEntries, signedUntil } = seen;
  const unsigned = entries - signedEntries;
  const spots: string[] = [];
  if (unsigned > 0) {
    spots.push(
      `${unsigned} of ${entries} entries come after the last checkpoint of their run, or their run has none. ` +
        'A person who can write to the database could have replaced them, with hashes that match.',
    );
  }
  spots.push(
    'Entries that were removed from the end of a run after its last checkpoint are not missed.',
  );
  spots.push(
    signedUntil === undefined
      ? 'Without a checkpoint over all runs of the tenant, a run that was removed whole is not missed.'
      : `Runs that were started after ${new Date(signedUntil).toISOString()} and removed whole are not missed.`,
  );
  spots.push(
    'A later checkpoint than the given ones could show more. Pass the latest checkpoint that you stored.',
  );
  return Object.freeze(spots);
}
