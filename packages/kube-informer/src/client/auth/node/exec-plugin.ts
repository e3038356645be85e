import { basename } from 'node:path';
import { isatty } from 'node:tty';
import { type Env, systemEnv } from '../../../core/env.ts';
import { KubeError, requireOption } from '../../../core/errors.ts';
import { conceal } from '../../secrets/conceal.ts';
import { defined } from '../../../core/defined.ts';
import { ConfigFields } from '../../config/config-fields.ts';
import type { ExecPlan } from '../../config/connection-plan.ts';
import type { Credentials, CredentialSource } from '../credentials.ts';
import { checkExecPolicy, requireExecPolicyVariables, type ExecPolicy, validateExecPolicy } from './exec-policy.ts';
import { type CommandEnvironment, findCommand, environmentToFindCommand } from './find-command.ts';
import { type ProgramResult, runProgram } from './run-program.ts';
import { bearerAuthorizationHeader } from '../authorization-header.ts';
import { redact, redactOpaque } from '../../../core/redact.ts';
import { printableText } from '../../../core/unprintable.ts';
import { redactForSafeError } from '../../../core/safe-error.ts';
import { encodeBase64 } from '../../../core/base64.ts';
import { type Renewal, RenewingSource } from '../renewing-source.ts';
import { parseSafeYaml } from '../../config/safe-yaml.ts';
import { checkedTlsFilePair } from '../../config/node/tls-files.ts';
import { parseTimestamp } from '../../../core/timestamp.ts';
import { process } from '../../config/node/node-process.ts';

/** Passed to a plugin with `provideClusterInfo`. */
export interface ExecClusterInfo {
  readonly server: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** PEM. Read when the plugin runs. */
  readonly ca?: () => string | undefined;
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
}

export interface ExecSourceOptions {
  readonly exec: ExecPlan;
  readonly cluster: ExecClusterInfo;
  /** For messages: `kubeconfig /home/me/.kube/config: users["dev"].user.exec`. */
  readonly where: string;
  /** @default 'allow' */
  readonly policy?: ExecPolicy;
  /** Timeout of a plugin that is not interactive. @default 60_000 */
  readonly timeoutMs?: number;
  /** Variables the plugin inherits; its command is looked up on their PATH. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether the plugin may not use stdin, even if it is a terminal. @default false */
  readonly isStdinReserved?: boolean;
  /** @default whether stdin is a terminal */
  readonly isTerminal?: () => boolean;
  /** Receives the redacted stderr of an interactive plugin. @default writes to stderr */
  readonly onPrompt?: (text: string) => void;
  readonly commands?: CommandEnvironment;
  readonly env?: Env;
}

/** Maximum length of a plugin's stderr or install hint in a message. */
const MAX_QUOTED = 2_048;
const HINTS_PER_HOUR = 10;
const HOUR_MS = 3_600_000;
/** Timeout of an interactive plugin: a person may have to find a phone first. */
const INTERACTIVE_TIMEOUT_MS = 600_000;

/**
 * Credentials printed by a program (`client.authentication.k8s.io` v1 and v1beta1).
 *
 * Promises: one run at a time; run again ten seconds before the credentials expire or after a 401, but not within ten
 * seconds of a success; never through a shell; variables of the kubeconfig are set for the program and its children
 * only. Errors quote at most 2 KiB of its stderr, redacted, and nothing of its stdout.
 * Throws INVALID_OPTION for an invalid policy, and INVALID_CONFIG for variables of the kubeconfig that can make a listed
 * program run others; other errors reject `current`.
 */
export function execPluginSource(options: ExecSourceOptions): CredentialSource {
  const { exec, where, policy = 'allow', timeoutMs = 60_000, environment = process.env, env = systemEnv } = options;
  const {
    commands = environmentToFindCommand(environment),
    isTerminal = () => isatty(0),
    isStdinReserved = false,
  } = options;
  const { onPrompt = (text) => void process.stderr.write(text) } = options;
  requireOption(timeoutMs > 0, 'execTimeoutMs', 'a positive number', timeoutMs);
  validateExecPolicy(policy, commands);
  requireExecPolicyVariables(
    policy,
    exec.env.map(({ name }) => name),
    where,
  );
  const what = `credential plugin ${JSON.stringify(exec.command)}`;
  const secrets = execPluginSecrets(exec);
  const hint = hourlyExecPluginHint(env, exec.installHint);

  const renew = async (signal: AbortSignal): Promise<Renewal> => {
    const path = await findCommand(exec.command, exec.beside, where, commands);
    if (path === undefined)
      throw new KubeError('CREDENTIALS', `${where}: ${what} was not found or is not executable${hint()}`);
    await checkExecPolicy(policy, exec.command, path, commands);
    const isInteractive = isExecPluginInteractive(exec, isTerminal() && !isStdinReserved, where);
    const result = await runProgram({
      what,
      path,
      args: exec.args,
      variables: execPluginVariables(environment, exec, options.cluster, isInteractive),
      isInteractive,
      timeoutMs: isInteractive ? Math.max(timeoutMs, INTERACTIVE_TIMEOUT_MS) : timeoutMs,
      onPrompt: (text) => onPrompt(redact(hideExecPluginSecrets(text, secrets))),
      signal,
      env,
    });
    if (result.exitCode !== 0) throw execPluginFailure(what, result, secrets);
    const renewal = await parseExecPluginCredential(result.stdout, exec.apiVersion, what);
    // Not an error: the clock of this machine may be wrong. The server decides, and the plugin runs again in ten
    // seconds.
    if (renewal.expiresAt !== undefined && renewal.expiresAt <= env.wallNow())
      env.log('warn', 'a credential plugin returned expired credentials', { command: exec.command });
    return renewal;
  };
  return new RenewingSource({ kind: `exec ${basename(exec.command)}`, renew, env });
}

/** Parses a plugin's output. Rejects CREDENTIALS and never quotes the output. */
async function parseExecPluginCredential(stdout: Uint8Array, apiVersion: string, what: string): Promise<Renewal> {
  try {
    const credential = ConfigFields.of(await parseExecPluginOutput(stdout), 'its output');
    if (credential.text('kind') !== 'ExecCredential') throw credential.error('kind', 'expected ExecCredential');
    if (credential.text('apiVersion') !== apiVersion)
      throw credential.error('apiVersion', `expected ${apiVersion}, as in the kubeconfig`);
    const status = credential.fields('status');
    if (status === undefined) throw credential.error('status', 'is missing');
    const token = status.text('token');
    const cert = status.text('clientCertificateData');
    const key = status.text('clientKeyData');
    if ((cert === undefined) !== (key === undefined))
      throw status.error(
        cert === undefined ? 'clientCertificateData' : 'clientKeyData',
        'is missing: expected certificate and key',
      );
    if (token === undefined && cert === undefined)
      throw status.error('token', 'is missing: expected a token or a client certificate');
    const expiry = status.text('expirationTimestamp');
    const expiresAt = expiry === undefined ? undefined : parseTimestamp(expiry);
    if (expiry !== undefined && expiresAt === undefined)
      throw status.error('expirationTimestamp', 'expected an RFC 3339 time');
    const authorization =
      token === undefined ? undefined : bearerAuthorizationHeader(token, 'its output: status.token').authorization;
    const certificate =
      cert === undefined || key === undefined ? undefined : checkedTlsFilePair(cert, key, 'its output: status');
    const credentials: Credentials = defined({ authorization, certificate });
    const shown = { authorization: authorization && 'Bearer [redacted]', certificate };
    return { credentials: conceal(credentials, defined(shown)), ...defined({ expiresAt }) };
  } catch (error) {
    const reason = error instanceof KubeError ? error.message : 'its output cannot be parsed';
    throw new KubeError('CREDENTIALS', `${what} did not print credentials: ${reason}`, {
      cause: redactForSafeError(error),
    });
  }
}

async function parseExecPluginOutput(stdout: Uint8Array): Promise<unknown> {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(stdout);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Some plugins print YAML. The error is dropped, because its message quotes the text.
    return parseSafeYaml(text, 'its output');
  }
}

function isExecPluginInteractive(exec: ExecPlan, isAvailable: boolean, where: string): boolean {
  if (exec.interactiveMode === 'Always' && !isAvailable)
    throw new KubeError('CREDENTIALS', `${where}.interactiveMode: the plugin needs a terminal, and stdin is not one`);
  return exec.interactiveMode !== 'Never' && isAvailable;
}

/** Variables of this process, then those of the kubeconfig, then KUBERNETES_EXEC_INFO. */
function execPluginVariables(
  environment: Readonly<Record<string, string | undefined>>,
  exec: ExecPlan,
  cluster: ExecClusterInfo,
  isInteractive: boolean,
): Record<string, string | undefined> {
  const spec = {
    interactive: isInteractive,
    ...(exec.provideClusterInfo ? { cluster: execPluginClusterInfo(cluster, exec) } : {}),
  };
  const info = JSON.stringify({ kind: 'ExecCredential', apiVersion: exec.apiVersion, spec });
  return Object.fromEntries([
    ...Object.entries(environment),
    ...exec.env.map(({ name, value }) => [name, value] as const),
    ['KUBERNETES_EXEC_INFO', info],
  ]);
}

function execPluginClusterInfo(cluster: ExecClusterInfo, exec: ExecPlan): object {
  const ca = cluster.ca?.();
  return defined({
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.insecureSkipTlsVerify || undefined,
    'certificate-authority-data': ca === undefined ? undefined : encodeBase64(ca),
    'proxy-url': cluster.proxyUrl,
    'disable-compression': cluster.disableCompression || undefined,
    config: exec.clusterConfig,
  });
}

function execPluginFailure(what: string, result: ProgramResult, secrets: readonly string[]): KubeError {
  const { exitCode, killedBy, stderr } = result;
  const text = printableExecPluginText(redactOpaque(hideExecPluginSecrets(stderr, secrets))).trim();
  const quoted = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  const how = exitCode === null ? `was killed by ${killedBy ?? 'a signal'}` : `failed with exit code ${exitCode}`;
  return new KubeError('CREDENTIALS', `${what} ${how}${quoted === '' ? '' : `: ${quoted}`}`);
}

/** Values from the kubeconfig that the plugin may print: all variables, and arguments after names such as `--token`. */
function execPluginSecrets(exec: ExecPlan): readonly string[] {
  const secretName = /token|password|passwd|secret|key|credential/i;
  const args = exec.args.filter((_, at) => secretName.test(exec.args[at - 1] ?? ''));
  return [...exec.env.map(({ value }) => value), ...args]
    .filter((value) => value.length >= 4)
    .toSorted((a, b) => b.length - a.length);
}

function hideExecPluginSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}

/** One line without control characters, which could move a terminal's cursor. */
function printableExecPluginText(text: string): string {
  return printableText(text.replaceAll(/\s+/g, ' '));
}

/** Returns the install hint at most ten times an hour: it may be long, and every request fails. */
function hourlyExecPluginHint(env: Env, hint: string | undefined): () => string {
  let shown: number[] = [];
  return () => {
    const now = env.now();
    shown = shown.filter((at) => now - at < HOUR_MS);
    if (hint === undefined || shown.length >= HINTS_PER_HOUR) return '';
    shown.push(now);
    return `. ${printableExecPluginText(hint).slice(0, MAX_QUOTED)}`;
  };
}
