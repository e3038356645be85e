/**
 * The syntax of names, label keys and label values, and the server's messages about it. Every function
 * returns the error messages, none for a valid value; a caller puts them after its field.
 *
 * Lengths are counted in bytes. The server's two libraries word them differently (`characters`, `bytes`), and
 * a client may compare the texts, so each function keeps its library's word.
 */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const KEY_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${KEY_NAME})?`;

const isLabel = wholeSyntaxPattern(LABEL);
const isSubdomain = wholeSyntaxPattern(SUBDOMAIN);
const isKeyName = wholeSyntaxPattern(KEY_NAME);
const isLabelValue = wholeSyntaxPattern(LABEL_VALUE);

const LABEL_MAX = 63;
const SUBDOMAIN_MAX = 253;

const SUBDOMAIN_TEXT = syntaxMismatchText(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN,
  ['example.com'],
);
const LABEL_TEXT = syntaxMismatchText(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL,
  ['my-name', '123-abc'],
);
const KEY_NAME_TEXT = syntaxMismatchText(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  KEY_NAME,
  ['MyName', 'my.name', '123-abc'],
);
const LABEL_VALUE_TEXT = syntaxMismatchText(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  ['MyValue', 'my_value', '12345'],
);

/** Error messages about an RFC 1123 subdomain: most object names. */
export function subdomainSyntaxComplaints(text: string): string[] {
  return checkSubdomainSyntax(text, 'characters');
}

/** The same messages as worded by the newer library: prefixes of keys, names of a few kinds. */
export function subdomainSyntaxComplaintsInBytes(text: string): string[] {
  return checkSubdomainSyntax(text, 'bytes');
}

/** Error messages about an RFC 1123 label: namespaces, services. */
export function labelSyntaxComplaints(text: string): string[] {
  const complaints = syntaxLengthComplaints(text, LABEL_MAX, 'characters');
  if (!isLabel.test(text)) complaints.push(isSubdomain.test(text) ? 'must not contain dots' : LABEL_TEXT);
  return complaints;
}

/** Error messages about `[prefix/]name`: keys of labels and annotations, finalizers. */
export function labelKeySyntaxComplaints(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${KEY_NAME_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const complaints: string[] = [];
  const name = parts.at(-1) as string;
  if (parts.length === 2) {
    const prefix = parts[0] as string;
    if (prefix === '') complaints.push('prefix part must be non-empty');
    else {
      complaints.push(...subdomainSyntaxComplaintsInBytes(prefix).map((complaint) => `prefix part ${complaint}`));
    }
  }
  if (name === '') complaints.push('name part must be non-empty');
  complaints.push(...syntaxLengthComplaints(name, LABEL_MAX, 'bytes').map((complaint) => `name part ${complaint}`));
  if (!isKeyName.test(name)) complaints.push(`name part ${KEY_NAME_TEXT}`);
  return complaints;
}

export function labelValueSyntaxComplaints(value: string): string[] {
  return [
    ...syntaxLengthComplaints(value, LABEL_MAX, 'bytes'),
    ...(isLabelValue.test(value) ? [] : [LABEL_VALUE_TEXT]),
  ];
}

/** Error messages about one segment of a path, which every stored object's name must be at least. */
export function pathSegmentSyntaxComplaints(text: string): string[] {
  if (text === '.' || text === '..') return [`may not be '${text}'`];
  return ['/', '%'].filter((piece) => text.includes(piece)).map((piece) => `may not contain '${piece}'`);
}

function checkSubdomainSyntax(text: string, unit: 'bytes' | 'characters'): string[] {
  return [...syntaxLengthComplaints(text, SUBDOMAIN_MAX, unit), ...(isSubdomain.test(text) ? [] : [SUBDOMAIN_TEXT])];
}

function wholeSyntaxPattern(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}

function syntaxLengthComplaints(text: string, max: number, unit: 'bytes' | 'characters'): string[] {
  return Buffer.byteLength(text) > max ? [`must be no more than ${max} ${unit}`] : [];
}

function syntaxMismatchText(rule: string, pattern: string, examples: readonly string[]): string {
  // A comma before each `or`, as on a real server.
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}
