/** Parts of names that mean a credential wherever they stand: `dbpassword`, `PRIVATE_KEY_PEM`. */
const STEMS: readonly string[] = [
  'password', 'passwd', 'passphrase', 'passcode', 'credential', 'apikey', 'accesskey', 'privatekey', 'secretkey',
  'signingkey', 'encryptionkey', 'connectionstring', 'htpasswd', 'kubeconfig',
]; // prettier-ignore

/** Parts of names that mean a credential only at the end of a word: a `tokenizer` is not a token. */
const LAST_STEMS: readonly string[] = ['token', 'tokens', 'secret', 'secrets', 'jwt', 'bearer', 'authorization'];

/** Last words of a name that mean a credential: `DB_PASS`, `REDIS_AUTH`. */
const LAST_WORDS: ReadonlySet<string> = new Set([
  'pass', 'pwd', 'auth', 'dsn', 'salt', 'cookie', 'creds', 'otp', 'cert',
]); // prettier-ignore

/** Words in front of `key` that make it a credential. Most keys are not: `topologyKey`, `key`. */
const KEY_OWNERS: ReadonlySet<string> = new Set([
  'private', 'api', 'access', 'secret', 'signing', 'sign', 'encryption', 'encrypt', 'master', 'shared', 'account',
  'client', 'ssh', 'hmac', 'aes', 'rsa', 'tls', 'ssl', 'auth', 'license', 'storage', 'deploy', 'webhook', 'jwt',
  'session', 'cookie', 'root', 'db', 'admin', 'crypto', 'gpg', 'pgp', 'stripe', 'openai', 'app', 'application',
]); // prettier-ignore

/** Last words of names that hold a name, a place, a number or a flag: `secretName`, `tokenExpirationSeconds`. */
const HARMLESS_ENDS: ReadonlySet<string> = new Set([
  'name', 'names', 'ref', 'refs', 'reference', 'namespace', 'path', 'paths', 'file', 'files', 'type', 'types', 'kind',
  'version', 'policy', 'class', 'seconds', 'minutes', 'hours', 'ttl', 'duration', 'timeout', 'expiry', 'expiration',
  'enabled', 'disabled', 'required', 'count', 'size', 'length', 'limit', 'format', 'mode', 'audience', 'audiences', 'url',
  'uri', 'endpoint', 'issuer', 'provider', 'store', 'algorithm', 'continue', 'selector', 'label', 'labels',
]); // prettier-ignore

/**
 * Whether a field, an environment variable or a header of this name usually holds a credential.
 *
 * The one list of such names: objects that are shown, traces and logs all use it. Names are compared word by word, in
 * every spelling: `secretAccessKey`, `SECRET_ACCESS_KEY`, `secret-access-key`.
 */
export function isSensitiveName(name: string): boolean {
  const words = wordsOfSensitiveName(name);
  const last = words.at(-1) ?? '';
  if (HARMLESS_ENDS.has(last)) return false;
  const joined = words.join('');
  if (STEMS.some((stem) => joined.includes(stem))) return true;
  if (words.some((word) => LAST_STEMS.some((stem) => word.endsWith(stem)))) return true;
  const before = words.at(-2) ?? '';
  if (last === 'data') return before === 'key' || before === 'certificate' || before === 'keydata';
  return LAST_WORDS.has(last) || last === 'keydata' || (isSensitiveKeyWord(last) && KEY_OWNERS.has(before));
}

/**
 * Whether an environment variable of this name usually holds a credential. Here anything private, and any key
 * but a bare one, is taken for a credential.
 */
export function isSensitiveVariable(name: string): boolean {
  return isSensitiveName(name) || /[a-z0-9][_.-]keys?$|(?:^|[_.-])private(?:[_.-]|$)/i.test(name);
}

const isSensitiveKeyWord = (word: string): boolean => word === 'key' || word === 'keys';

/** Maximum length of a name that is read. Field names are short; a longer one is a text. */
const MAX_LENGTH = 256;

/** `AWS_SecretAccessKey` → aws, secret, access, key */
function wordsOfSensitiveName(name: string): string[] {
  return name
    .slice(-MAX_LENGTH)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}
