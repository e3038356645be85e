/** A random UUID (version 4) drawn from the environment, so that a seeded run repeats its uids. */
export function uuid(random: () => number): string {
  const a = uuidDigits(random);
  const b = uuidDigits(random);
  const c = uuidDigits(random);
  const variant = '89ab'.charAt(Math.floor(random() * 4));
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${uuidDigits(random)}`;
}

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Eight hexadecimal digits, from a table because every request and every object needs such an id. */
function uuidDigits(random: () => number): string {
  const number = Math.floor(random() * 0x1_0000_0000);
  return `${BYTES[number >>> 24]}${BYTES[(number >>> 16) & 255]}${BYTES[(number >>> 8) & 255]}${BYTES[number & 255]}`;
}
