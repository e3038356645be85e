const UNITS: ReadonlySet<string> = new Set(['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h']);

/** Go's error message about a text that is not a duration (`1h30m`); undefined if it is one. */
export function goDurationFault(text: string): string | undefined {
  const shown = JSON.stringify(text);
  let rest = text.replace(/^[-+]/, '');
  if (rest === '0') return undefined;
  do {
    const [part, number = '', unit = ''] = /^(\d*\.?\d*)([^\d.]*)/.exec(rest) ?? [''];
    if (!/\d/.test(number)) return `time: invalid duration ${shown}`;
    if (unit === '') return `time: missing unit in duration ${shown}`;
    if (!UNITS.has(unit)) return `time: unknown unit ${JSON.stringify(unit)} in duration ${shown}`;
    rest = rest.slice(part.length);
  } while (rest !== '');
  return undefined;
}
