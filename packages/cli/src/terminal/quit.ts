/** Somebody does not want to answer: the run ends with this, and nothing that waits has run. */
export function quitError(): DOMException {
  return new DOMException(
    'Whoever was asked in the terminal has ended the run. The calls that waited for an answer did not run.',
    'AbortError',
  );
}
