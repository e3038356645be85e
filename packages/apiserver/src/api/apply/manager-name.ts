/** Maximum length of a name; longer ones are cut. A longer `fieldManager` parameter has been refused before. */
const MAX_BYTES = 128;

/** The manager of a write: the `fieldManager` parameter, else the start of the User-Agent, without unprintable characters. */
export function managerName(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager !== undefined && fieldManager !== '') return fieldManager;
  let name = '';
  for (const character of (userAgent ?? '').split('/', 1)[0] as string) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) continue;
    if (Buffer.byteLength(name + character) > MAX_BYTES) break;
    name += character;
  }
  return name;
}
