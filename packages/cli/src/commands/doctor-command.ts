import { resolveConnection } from 'kube-informer/client';
import { EXIT } from '../host/exit-code.ts';
import type { Command } from '../arguments/command.ts';
import { sessionConnection, sessionOf } from '../session/session.ts';
import { apiFindings } from '../doctor/api-findings.ts';
import {
  failDoctorFinding,
  type Finding,
  doctorFindingLines,
  okDoctorFinding,
  warnDoctorFinding,
} from '../doctor/doctor-finding.ts';
import { networkFindings } from '../doctor/network-findings.ts';
import { permissionFindings, doctorReadPermissions } from '../doctor/permission-findings.ts';
import { watchFindings } from '../doctor/watch-findings.ts';
import { describeCommandFailure } from '../output/command-failure.ts';
import type { Host } from '../host/host.ts';
import type { Invocation } from '../arguments/invocation.ts';
import { logNotices } from '../output/notices.ts';
import { CONNECTION_OPTIONS, NAMESPACE_OPTIONS } from '../arguments/output-option.ts';
import { pluralNumber } from '../text/numbers.ts';
import { stylePalette } from '../text/style.ts';
import { joinSafe, safe } from '../text/safe.ts';

export const doctor: Command = {
  name: 'doctor',
  summary: 'checks the connection to the cluster, and suggests fixes',
  usage: '[options]',
  about:
    'Checks the configuration, the network, certificates, your permissions, and real watches. The exit code is 1 if an\nessential check fails.',
  examples: [
    ['kube-informer doctor', 'the current context'],
    ['kube-informer doctor --context staging', 'another context'],
  ],
  options: { namespace: NAMESPACE_OPTIONS.namespace, ...CONNECTION_OPTIONS },
  positionals: { max: 0 },

  async run(invocation, host) {
    const { stdout, environment, signal } = host;
    const palette = stylePalette(stdout.isTerminal, environment);
    const width = stdout.isTerminal ? stdout.size().columns : Infinity;
    const counts = { ok: 0, note: 0, warn: 0, fail: 0 };
    for await (const finding of doctorCommandChecks(invocation, host)) {
      counts[finding.level] += 1;
      stdout.write(safe`${joinSafe(doctorFindingLines(finding, palette, width), '\n')}\n`);
    }
    if (signal.aborted) return EXIT.interrupted;
    const { fail: failed, warn: warned } = counts;
    const also = warned === 0 ? safe`` : safe`, ${pluralNumber(warned, safe`warning`)}`;
    if (failed === 0) stdout.write(safe`\n${palette('good', safe`all essential checks passed${also}`)}\n`);
    else stdout.write(safe`\n${palette('bad', safe`${pluralNumber(failed, safe`check`)} failed${also}`)}\n`);
    return failed === 0 ? EXIT.success : EXIT.failed;
  },
};

/** The advice if the user's own input is the cause. */
function doctorCommandFix(invocation: Invocation, message: string): string {
  if (message.startsWith('option caFile')) return 'correct the file, or the path after --certificate-authority';
  if (invocation.text('kubeconfig') !== undefined && invocation.text('context') === undefined)
    return 'correct the file, or the path after --kubeconfig';
  if (invocation.text('context') !== undefined)
    return 'use a --context that the kubeconfig has, or the kubeconfig that has it: KUBECONFIG or --kubeconfig';
  return 'set KUBECONFIG, use --kubeconfig, or --server with --token';
}

async function* doctorCommandChecks(invocation: Invocation, host: Host): AsyncGenerator<Finding> {
  const { signal } = host;
  // The findings report what would be logged.
  const env = logNotices(host.env, () => {});
  let connection: Awaited<ReturnType<typeof resolveConnection>>;
  try {
    connection = await resolveConnection(sessionConnection(invocation, host), env);
  } catch (error) {
    const { message } = describeCommandFailure(error);
    return yield failDoctorFinding('configuration', message, doctorCommandFix(invocation, message));
  }
  yield okDoctorFinding(
    'configuration',
    `${connection.origin}: ${connection.server.href}, namespace ${connection.namespace}`,
  );
  let isReachable = true;
  for await (const finding of networkFindings(connection, env, signal)) {
    isReachable &&= finding.level !== 'fail';
    yield finding;
  }
  if (!isReachable || signal.aborted) return connection.credentials.close?.();
  const session = await sessionOf(connection, env);
  try {
    let isIn = true;
    for await (const finding of apiFindings(session, env, signal)) {
      isIn &&= finding.level !== 'fail';
      yield finding;
    }
    if (!isIn || signal.aborted) return;
    const rights = await doctorReadPermissions(session.client, signal);
    yield* permissionFindings(rights, connection.namespace);
    yield* watchFindings(session.client, rights, env, signal);
  } catch (error) {
    if (signal.aborted) return;
    yield warnDoctorFinding(
      'permissions',
      describeCommandFailure(error).message,
      'permissions cannot be checked on this server; try watch',
    );
  } finally {
    await session[Symbol.asyncDispose]();
  }
}
