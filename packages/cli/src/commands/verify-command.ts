import type { Differences, KubeObject } from 'kube-informer';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { openSession } from '../session/session.ts';
import type { Host } from '../host/host.ts';
import { logNotices } from '../output/notices.ts';
import { CONNECTION_OPTIONS, NAMESPACE_OPTIONS, SELECTOR_OPTIONS } from '../arguments/output-option.ts';
import { untilSessionSyncedWithProgress } from '../session/session-sync.ts';
import { findTarget } from '../session/session-target.ts';
import { escapeText } from '../text/escape.ts';
import { pluralNumber } from '../text/numbers.ts';
import { type Palette, stylePalette } from '../text/style.ts';
import { joinSafe, type Safe, safe } from '../text/safe.ts';

const MAX_KEYS = 50;

export const verify: Command = {
  name: 'verify',
  summary: "compares an informer's cache with the server, object by object",
  usage: '<resource> [options]',
  about: 'The exit code is 0 if the cache equals the server, and 1 if it differs.',
  examples: [
    ['kube-informer verify pods -A', 'all pods, right after the initial list'],
    ['kube-informer verify pods -A --after 60', 'after a minute of watching'],
  ],
  options: {
    after: {
      type: 'string',
      value: 'seconds',
      help: 'how long to watch before the comparison; default: 0',
    },
    ...NAMESPACE_OPTIONS,
    ...SELECTOR_OPTIONS,
    ...CONNECTION_OPTIONS,
  },
  positionals: { min: 1, max: 1 },

  async run(invocation, host) {
    const { env, signal, stderr, stdout, environment } = host;
    const seconds = invocation.number('after', { min: 0, max: 86_400, fallback: 0 });
    const session = await openSession(invocation, host, {
      env: logNotices(env, (line) => stderr.write(safe`${line}\n`)),
    });
    try {
      const { client, cluster, traffic } = session;
      const target = await findTarget(client, invocation.positionals[0] ?? '', invocation, { signal });
      const { name, namespace, labels, fields } = target;
      const informer = cluster.informer<KubeObject, never>(name, { namespace, labels, fields });
      await untilSessionSyncedWithProgress(informer, host, target, traffic);
      let changes = 0;
      const count = (): void => void (changes += 1);
      informer.on({ add: count, update: count, delete: count }, { initial: false });
      await env.sleep(seconds * 1_000, signal);
      const [found] = signal.aborted ? [] : await informer.verify(signal);
      if (found === undefined) return verifyCommandInterrupted(host);
      const after = seconds === 0 ? safe`` : safe` after ${pluralNumber(changes, safe`change`)} in ${seconds} s`;
      const palette = stylePalette(stdout.isTerminal, environment);
      stdout.write(
        safe`${joinSafe(verifyCommandLines(safe`${escapeText(target.title)}${after}`, found, palette), '\n')}\n`,
      );
      return found.consistent ? EXIT.success : EXIT.failed;
    } finally {
      await session[Symbol.asyncDispose]();
    }
  },
};

function verifyCommandInterrupted({ stderr }: Host): number {
  stderr.write(safe`interrupted before the comparison\n`);
  return EXIT.interrupted;
}

/** The lines for a comparison. */
export function verifyCommandLines(title: Safe, found: Differences, palette: Palette): Safe[] {
  const { checked, resourceVersion, consistent, missing, extra, different } = found;
  const what = safe`${title}: ${pluralNumber(checked, safe`object`)} compared at version ${escapeText(resourceVersion)}`;
  if (consistent) return [safe`${palette('good', safe`equal`)}  ${what}, no difference`];
  const kinds = [
    [safe`missing in the cache`, missing],
    [safe`only in the cache`, extra],
    [safe`different version`, different],
  ] as const;
  return [
    safe`${palette('bad', safe`different`)}  ${what}`,
    ...kinds.flatMap(([text, keys]) => [
      ...keys.slice(0, MAX_KEYS).map((key) => safe`  ${palette('warn', text)}: ${escapeText(key)}`),
      ...(keys.length > MAX_KEYS ? [safe`  ${text}: ${keys.length - MAX_KEYS} more`] : []),
    ]),
  ];
}
