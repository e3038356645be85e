/** Encodes the UTF-8 bytes of `text`. Uses no Buffer, because this file runs in browsers. */
export function encodeBase64(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
