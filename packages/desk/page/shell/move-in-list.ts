/** Moves the focus to the next or the one before in the list on the screen. */
export function moveInList(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-rows] a')].filter(
    (row) => row.offsetParent !== null,
  );
  const focused = rows.indexOf(document.activeElement as HTMLElement);
  const current = rows.findIndex((row) => row.getAttribute('aria-current') === 'true');
  const from = focused >= 0 ? focused : current;
  const to = from < 0 ? (by === 1 ? 0 : rows.length - 1) : from + by;
  rows[Math.max(0, Math.min(rows.length - 1, to))]?.focus();
}
