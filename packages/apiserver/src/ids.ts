/** A random UUID (version 4) drawn from the environment, so that a seeded run repeats its uids. */
export function uuid(random: () => number): string {
  const a = digits(random);
  const b = digits(random);
  const c = digits(random);
  const variant = '89ab'.charAt(Math.floor(random() * 4));
  return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${digits(random)}`;
}

/** Eight of them. */
const digits = (random: () => number): string =>
  Math.floor(random() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, '0');
