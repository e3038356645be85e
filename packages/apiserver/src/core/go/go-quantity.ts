const QUANTITY = /^[+-]?\d*(?:\.\d*)?(?<suffix>(?:(?:[eEinumkKMGTP]+[+-]?|[+-])\d*)?)$/;
const SUFFIX = /^(?:[numkMGTPE]?|[KMGTPE]i|[eE][+-]?\d+)$/;

/** Go's error message about a text that is not a quantity (`100Mi`); undefined if it is one. */
export function goQuantityFault(text: string): string | undefined {
  const trimmed = text.trim();
  const found = QUANTITY.exec(trimmed);
  if (found === null || trimmed === '')
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  return SUFFIX.test(found.groups?.['suffix'] ?? '') ? undefined : "unable to parse quantity's suffix";
}
