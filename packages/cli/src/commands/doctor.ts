import { resolveConnection } from 'kube-informer/client';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { connectOptions, sessionOf } from '../session/session.ts';
import { apiFindings } from '../doctor/api.ts';
import { fail, type Finding, findingLines, ok, warn } from '../doctor/finding.ts';
import { networkFindings } from '../doctor/network.ts';
import { rightsFindings, rightsOf } from '../doctor/permissions.ts';
import { watchFindings } from '../doctor/watches.ts';
import { describeFailure } from '../output/failure.ts';
import type { Host } from '../host/host.ts';
import type { Invocation } from '../arguments/invocation.ts';
import { logTo } from '../output/notices.ts';
import { CONNECTION_OPTIONS, NAMESPACE_OPTIONS } from '../arguments/options.ts';
import { escapeText } from '../text/escape.ts';
import { counted } from '../text/numbers.ts';
import { paletteFor } from '../text/style.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'what works between here and the cluster, and what to do about the rest',
  usage: '[options]',
  about:
    'Looks at the configuration, the network, the certificate, your rights, and at real watches. Ends with 1 when\nsomething essential fails.',
  examples: [
    ['kube-informer doctor', 'the current context'],
    ['kube-informer doctor --context staging', 'another one'],
  ],
  options: { namespace: NAMESPACE_OPTIONS.namespace, ...CONNECTION_OPTIONS },
  words: { max: 0 },

  async run(invocation, host) {
    const { stdout, environment, signal } = host;
    const palette = paletteFor(stdout.isTerminal, environment);
    const counts = { ok: 0, note: 0, warn: 0, fail: 0 };
    for await (const finding of findings(invocation, host)) {
      counts[finding.level] += 1;
      stdout.write(`${findingLines(finding, palette, escapeText).join('\n')}\n`);
    }
    if (signal.aborted) return EXIT.interrupted;
    const { fail: failed, warn: warned } = counts;
    const also = warned === 0 ? '' : `, ${counted(warned, 'warning')}`;
    if (failed === 0) stdout.write(`\n${palette('good', `everything essential works${also}`)}\n`);
    else stdout.write(`\n${palette('bad', `${counted(failed, 'thing')} must be repaired first${also}`)}\n`);
    return failed === 0 ? EXIT.success : EXIT.failed;
  },
};

async function* findings(invocation: Invocation, host: Host): AsyncGenerator<Finding> {
  const { signal } = host;
  // The findings report what would be logged.
  const env = logTo(host.env, () => {});
  let connection: Awaited<ReturnType<typeof resolveConnection>>;
  try {
    connection = await resolveConnection(connectOptions(invocation, host), env);
  } catch (error) {
    return yield fail(
      'configuration',
      describeFailure(error).message,
      'set KUBECONFIG, use --kubeconfig, or --server with --token',
    );
  }
  yield ok('configuration', `${connection.origin}: ${connection.server.href}, namespace ${connection.namespace}`);
  let isReachable = true;
  for await (const finding of networkFindings(connection, env, signal)) {
    isReachable &&= finding.level !== 'fail';
    yield finding;
  }
  if (!isReachable || signal.aborted) return connection.credentials.close?.();
  const opened = await sessionOf(connection, env);
  try {
    let isIn = true;
    for await (const finding of apiFindings(opened, env, signal)) {
      isIn &&= finding.level !== 'fail';
      yield finding;
    }
    if (!isIn || signal.aborted) return;
    const rights = await rightsOf(opened.client, signal);
    yield* rightsFindings(rights, connection.namespace);
    yield* watchFindings(opened.client, rights, env, signal);
  } catch (error) {
    if (signal.aborted) return;
    yield warn('permissions', describeFailure(error).message, 'the server does not say what is allowed; try watch');
  } finally {
    await opened[Symbol.asyncDispose]();
  }
}
