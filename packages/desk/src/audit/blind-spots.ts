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
    'The removal of entries from the end of a run, after its last checkpoint, is not detected.',
  );
  spots.push(
    signedUntil === undefined
      ? 'Without a checkpoint of all runs of the tenant, the removal of a whole run is not detected.'
      : `The removal of a whole run that started after ${new Date(signedUntil).toISOString()} is not detected.`,
  );
  spots.push(
    'A later checkpoint could reveal more changes. Pass the latest checkpoint that you stored.',
  );
  return Object.freeze(spots);
}
