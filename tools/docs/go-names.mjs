/**
 * Prints the names that occur in texts about client-go: identifiers of their Go code and of their code font, and
 * the camel case of their sentences and comments.
 *
 *   node tools/docs/go-names.mjs texts/*.md > test/docs/data/client-go-names.txt
 *
 * The texts are not part of this repository, their names are: test/docs/names.test.ts demands that
 * docs/coming-from-client-go.md answers each of them. Left out is what belongs to Go and not to client-go, and
 * variables whose name says nothing but their type.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const words = (text) => text.trim().split(/\s+/);

const GO = words(`
  bool break case chan close continue default defer delete else error false float64 for func go if int int64 interface
  len loop make map nil panic range recover return select string struct switch true type var append
`);

/** Go's standard library: its packages, and the names the texts take from them. */
const STANDARD = words(`
  AddInt64 Atoi Background Context Duration ECONNREFUSED EOF Equal Err ErrUnexpectedEOF Errno Errorf Float64 Getenv Lock
  Millisecond Minute Mutex OpError RLock RUnlock RWMutex Second Seconds Since Sleep Sprintf Sub TODO Time TypeOf URL
  UnixNano Unlock Wait atomic context errors fmt http io net os rand reflect runtime strconv sync syscall time url Is
`);

/** Variables, parameters and import names without a meaning of their own; \`clinetset\` and such are slips of the texts. */
const VARIABLES = words(`
  C T V a c cfg clinetset client config ctlr ctx e err errno event exists f found getOpt handle item k keys
  list lw meta name namespace newer next now obj older ok opError options
  opts p pt r resource result ret retry resourceversion rv rvu s start t timemoutseconds types urlError v w verb
  Deref To Bool Int64 ptr pointer _ fields Field Key Value Group Start Warning Warningf Infof klog glog utilnet utilruntime
  restclient schema apierrs clientfeatures flowcontrol buffer pager naming trace metav1 wait wg base content
`);

/** Slips of the texts, and words of their sentences that are not names of client-go. */
const WORDS = words(`
  APIServer ClientSet DaemonSet ConfigMap EventType FieldsV1 GoRoutine LastSyncResourceVersionUnavailable ListWatcher
  ObjectMeta RestClient SyncDeltaType SyncWith WatchList apiVersion baseURL isInitialList processListener rsyncPeriod
  watchHander watcherHandler DefaultClient
`);

const LEFT_OUT = new Set([...GO, ...STANDARD, ...VARIABLES, ...WORDS]);
const FENCE = /^(```+|~~~+)(\w*)\n([\s\S]*?)^\1/gm;

/** @param {string} text */
export function goNamesOf(text) {
  const blocks = [...text.matchAll(FENCE)].filter(([, , language]) =>
    ['go', 'bigquery'].includes(language.toLowerCase()),
  );
  const code = blocks.map(([, , , block]) => block.replaceAll(/"(?:\\.|[^"\\\n])*"/g, '').replaceAll(/\/\/.*/g, ''));
  const inline = [...text.replaceAll(FENCE, '').matchAll(/`([^`\n]+)`/g)].map(([, span]) => span);
  const prose = [text.replaceAll(FENCE, ''), ...blocks.flatMap(([, , , block]) => block.match(/\/\/.*/g) ?? [])].join(
    '\n',
  );
  const camelCase = prose.replaceAll(/https?:\S+/g, '').match(/\b[A-Z]?[a-z]+[A-Z]\w*|\b[A-Z]+_[A-Z_]+\b/g) ?? [];
  const names = [...([...code, ...inline].join('\n').match(/[A-Za-z_]\w*/g) ?? []), ...camelCase];
  return new Set(names.filter((name) => !LEFT_OUT.has(name)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2).flatMap((file) => [...goNamesOf(readFileSync(file, 'utf8'))]);
  console.log([...new Set(names)].sort((a, b) => (a < b ? -1 : 1)).join('\n'));
}
