/** Returns the number that an option was set to. */
export function numberOf(options, name) {
  const value = Number(options[name]);
  if (!(value > 0)) stop(`\`--${name}\` must be a number above 0, not \`${options[name]}\`.`);
  return value;
}

/** Prints an error and ends the command. */
export function stop(message) {
  console.error(message);
  process.exit(1);
}
