/** Decodes PEM text from base64, or returns undefined. White space is allowed, as in a folded YAML text. */
export function decodePem(data: string): string | undefined {
  const packed = data.replaceAll(/\s+/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) return undefined;
  try {
    const pem = atob(packed);
    return pem.includes('-----BEGIN ') ? pem : undefined;
  } catch {
    return undefined; // the caller's error names the field; the data itself must not be quoted
  }
}
