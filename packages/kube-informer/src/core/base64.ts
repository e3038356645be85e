/** Encodes the UTF-8 bytes of `text`. Uses no Buffer, because this file runs in browsers. */
export function encodeBase64(text: string): string {
  return encodeBase64Bytes(new TextEncoder().encode(text));
}

export function encodeBase64Bytes(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
