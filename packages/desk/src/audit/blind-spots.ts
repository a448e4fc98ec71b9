/** What a verification could not see, in sentences: for whoever relies on it. */
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
        'Whoever can write the database could have written them anew, with hashes that fit.',
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
    'A later checkpoint than those given would show more. Whether there is one is for those to know who keep them.',
  );
  return Object.freeze(spots);
}
