/** Replacements for text that differs between any two runs. */
const CHANCE: readonly (readonly [RegExp, string])[] = [
  // Notes of the client about its own rate limit.
  [/^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\] (?:Throttling|Waited for|"Waited before).*\n/gm, ''],
  // Its time was over while it opened a watch, or a moment before or after that.
  [/^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ reflector\.go:\d+\] .*context (?:deadline exceeded|canceled).*\n/gm, ''],
  [/^([IWE])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ /gm, '$1 '],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UID'],
  [/\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} 20\d\d \d\d:\d\d:\d\d \+0000/g, 'TIME'],
  [/\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| ?\+0000)?(?: UTC)?/g, 'TIME'],
  [/(resourceVersion"?: )"\d+"/g, '$1RV'],
  [/(Resource Version: +)\d+/g, '$1RV'],
  [/"resourceVersion":"\d+"/g, '"resourceVersion":RV'],
  [/https:\/\/127\.0\.0\.1:\d+/g, 'SERVER'],
  [/127\.0\.0\.1:\d+/g, 'SERVER'],
  // Addresses and ports that the server gives out.
  [/\b10\.(?:0|9[6-9]|10\d|11[01])\.\d+\.\d+\b/g, 'CLUSTER-IP'],
  [/(nodePort"?: ?|NodePort: .*|HealthCheck NodePort: +|healthCheckNodePort: |:)3[0-2]\d{3}\b/gi, '$1NODE-PORT'],
  [/\bmade-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, 'made-RANDOM'],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, '/tmp/$1'],
  [/\/tmp\/kubectl-edit-[\w-]+\.yaml/g, 'EDITED'],
  [/\bkubectl-edit-\w+\.yaml/g, 'EDITED'],
  [/^eyJ[\w.-]+$|^[\w-]{32,}$/gm, 'TOKEN'],
  [/\bv\d+\.\d+\.\d+(?:-[\w.]+)?\+(?:embedded|\$Format:%H\$|[0-9a-f]+)/g, 'VERSION'],
  // A periodic check, which may find a Service that is being created.
  [/^Events:\n +Type .*\n +---- .*\n(?: +\S.* ipallocator-repair-controller .*\n)+(?! )/gm, 'Events:  <none>\n'],
  [/^.* ClusterIPNotAllocated .*\n/gm, ''],
  [/^event\/\S+\.[0-9a-f]{16}\n/gm, ''],
  // Depends on the program, not on the API.
  [/"(gitCommit|gitTreeState|goVersion|compiler)": ".*"/g, '"$1": BUILD'],
  [/(Server Version: .*)GitCommit:.*$/gm, '$1BUILD'],
];

/** The column of ages. */
const AGE = /(^|\s{2,}|\()(?:<invalid>|(?:\d+[smhdy]){1,2})(?= {2,}|$|\)| \(| ago)/gm;

/** The output of `explain` without descriptions. */
export function withoutDescriptions(output: string): string {
  return output
    .replace(/^DESCRIPTION:\n[^]*?(?=^FIELDS?:)/gm, '')
    .split('\n')
    .filter((line) => /^\S|^ +\S+\s+<[^>]*>(?: -required-)?$|^ +enum: /.test(line))
    .join('\n');
}

const YAML_OWNERS = /^( *)managedFields:\n((?:\1(?:- |  ).*\n)+)/gm;
const DESCRIBED_OWNERS = /^( *)Managed Fields:\n((?:\1  .*\n)+)/gm;

/** Sorts the owners: they are ordered by whole seconds, so their order may differ. */
function withSortedOwners(text: string): string {
  const sorted = (start: string) => (all: string, indent: string, block: string) => {
    const owners = block.split(new RegExp(`^(?=${indent}${start})`, 'm')).toSorted();
    return all.slice(0, all.length - block.length) + owners.join('');
  };
  if (!text.startsWith('{'))
    return text.replace(YAML_OWNERS, sorted('- ')).replace(DESCRIBED_OWNERS, sorted('  API V'));
  try {
    return `${JSON.stringify(JSON.parse(text, sortOwners), null, 4)}\n`;
  } catch {
    return text;
  }
}

function sortOwners(key: string, value: unknown): unknown {
  if (key !== 'managedFields' || !Array.isArray(value)) return value;
  return value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** The output without anything that depends on the time or the server. */
export function normalised(output: string): string {
  let text = output;
  for (const [pattern, replacement] of CHANCE) text = text.replace(pattern, replacement);
  text = withSortedOwners(text);
  // Columns are as wide as their widest cell, and an age may be one digit longer.
  return text
    .replace(AGE, '$1AGE')
    .replace(/(\S)(?: {2,}|\t+)/g, '$1   ')
    .replace(/ +$/gm, '');
}
