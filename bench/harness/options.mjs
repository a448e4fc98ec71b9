/** The number that was given for an option. */
export function numberOf(options, name) {
  const value = Number(options[name]);
  if (!(value > 0)) stop(`--${name} must be a number above 0, not ${options[name]}.`);
  return value;
}

/** Ends the command with what is wrong. */
export function stop(message) {
  console.error(message);
  process.exit(1);
}
