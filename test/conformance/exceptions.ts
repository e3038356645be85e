/** What an older server, or one with a feature switched off, does in another way than the newest. */
export interface Exception {
  /** As the titles begin: `case 84`, `point (c)`. */
  readonly cases: readonly string[];
  readonly reason: string;
  /** The case would wait for ever, or fail only by chance. All others are run, and must fail. */
  readonly isNotRun?: true;
}

const STREAMING = ['case 80', 'case 81', 'case 82', 'case 83', 'case 86', 'point (c)', 'point (d)'];

/** The newest server with `--feature-gates=WatchList=false`. */
export const WITHOUT_STREAMING_LISTS: readonly Exception[] = [
  {
    cases: [...STREAMING, 'case 84', 'point (j)'],
    reason: 'streaming lists are off: `sendInitialEvents` is refused with 422, whatever it is said with',
  },
  { cases: ['case 85'], reason: 'without streaming lists no bookmark marks the end of the initial events' },
];

/** kube-apiserver 1.26. */
export const OLD: readonly Exception[] = [
  {
    cases: STREAMING,
    reason: 'there are no streaming lists yet: `resourceVersionMatch` is refused for every watch with 422',
  },
  { cases: ['case 84'], reason: '`sendInitialEvents` alone is passed over: an ordinary watch begins', isNotRun: true },
  { cases: ['case 85'], reason: 'without streaming lists no bookmark marks the end of the initial events' },
  { cases: ['case 38'], reason: '`sendInitialEvents` is passed over in a list' },
  {
    cases: ['case 34', 'case 37b', 'case 71', 'case 72', 'case 92'],
    reason: 'what comes from the watch cache is in no order, sometimes by chance in the right one',
    isNotRun: true,
  },
  {
    cases: ['case 36'],
    reason: 'an exact list far ahead is 500 `etcdserver: mvcc: required revision is a future revision`, not 504',
  },
  { cases: ['point (a)'], reason: 'a list with a version that is none is 500 without a reason, not 400' },
  { cases: ['case 40', 'case 77'], reason: 'custom resources have no selectable fields yet (1.30)' },
  {
    cases: ['case 93', 'case 97b'],
    reason: 'aggregated discovery is not on yet (1.27): asked for alone it is 406, otherwise the plain form comes',
  },
  { cases: ['case 97'], reason: '`singularName` of built-in resources is empty before 1.27' },
  { cases: ['case 98'], reason: 'the content type of OpenAPI as protobuf is `application/octet-stream`' },
  { cases: ['case 99'], reason: 'built from its Go module this version does not know which one it is' },
  { cases: ['case 15b'], reason: 'the message shows the value as Go writes it: `[]string{"x"}`' },
  { cases: ['case 45'], reason: 'the message shows the value as Go writes it: `0x0`' },
  { cases: ['case 61'], reason: 'an apply of another kind is `Incorrect version specified in apply patch`' },
  { cases: ['case 66'], reason: 'a DELETE with a body that is no object is 500, not 400' },
];

/** The rows of README.md, which must have them. */
export function exceptionRows(server: string, exceptions: readonly Exception[]): string[] {
  return exceptions.map(
    ({ cases, reason, isNotRun }) => `| ${server} | ${cases.join(', ')} | ${reason}${isNotRun ? '; not run' : ''} |`,
  );
}
