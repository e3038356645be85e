import { basename } from 'node:path';
import process from 'node:process';
import { isatty } from 'node:tty';
import { type Env, systemEnv } from '../../../core/env.ts';
import { KubeError, requireOption } from '../../../core/errors.ts';
import { conceal } from '../../secrets/conceal.ts';
import { defined } from '../../../core/defined.ts';
import { ConfigFields } from '../../config/config-fields.ts';
import type { ExecPlan } from '../../config/connection-plan.ts';
import type { Credentials, CredentialSource } from '../credentials.ts';
import {
  checkPolicy,
  checkVariables,
  type CommandWorld,
  type ExecPolicy,
  findCommand,
  systemWorld,
  validatePolicy,
} from './exec-plugin-command.ts';
import { type ProgramResult, runProgram } from './exec-plugin-run.ts';
import { bearer } from '../header-value.ts';
import { base64, redact, redactOpaque, rememberSecret, safeCause } from '../../secrets/redact.ts';
import { type Renewal, RenewingSource } from '../renewing-source.ts';
import { parseYaml } from '../../config/safe-yaml.ts';
import { checkedPair } from '../../config/node/tls-files.ts';
import { parseTimestamp } from '../../../core/timestamp.ts';

/** What a plugin that asks for it is told about the cluster. */
export interface ExecClusterInfo {
  readonly server: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** PEM, as it is when the plugin runs. */
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
  /** Of a plugin that asks nobody. @default 60_000 */
  readonly timeoutMs?: number;
  /** Variables the plugin inherits, and whose PATH finds it. @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether stdin is ours alone, even if it is a terminal. @default false */
  readonly isStdinReserved?: boolean;
  /** @default whether stdin is a terminal */
  readonly isTerminal?: () => boolean;
  /** Gets what a plugin writes to stderr while it may ask questions, redacted. @default writes to our stderr */
  readonly onPrompt?: (text: string) => void;
  readonly world?: CommandWorld;
  readonly env?: Env;
}

/** Of a plugin's stderr in a message. */
const MOST_SHOWN = 2_048;
const HINTS_PER_HOUR = 10;
const HOUR_MS = 3_600_000;
/** A person may have to find a phone first. */
const INTERACTIVE_TIMEOUT_MS = 600_000;

/**
 * Credentials printed by a program (`client.authentication.k8s.io` v1 and v1beta1).
 *
 * Promises: one run at a time; run again ten seconds before the credentials expire or after a 401, and never twice
 * within ten seconds of success; never through a shell; what the kubeconfig puts into the environment reaches the
 * program and its children only. Errors show at most 2 KiB of its stderr, redacted, and nothing of its stdout.
 * Throws INVALID_OPTION for a policy that cannot be meant, and INVALID_CONFIG for variables of the kubeconfig with which
 * a listed program would run others; everything else is told when credentials are asked for.
 */
export function execSource(options: ExecSourceOptions): CredentialSource {
  const { exec, where, policy = 'allow', timeoutMs = 60_000, environment = process.env, env = systemEnv } = options;
  const { world = systemWorld(environment), isTerminal = () => isatty(0), isStdinReserved = false } = options;
  const { onPrompt = (text) => void process.stderr.write(text) } = options;
  requireOption(timeoutMs > 0, 'execTimeoutMs', 'a positive number', timeoutMs);
  validatePolicy(policy, world);
  checkVariables(
    policy,
    exec.env.map(({ name }) => name),
    where,
  );
  const what = `credential plugin ${JSON.stringify(exec.command)}`;
  const secrets = secretsOf(exec);
  const hint = hourly(env, exec.installHint);

  const renew = async (signal: AbortSignal): Promise<Renewal> => {
    const path = await findCommand(exec.command, exec.beside, where, world);
    if (path === undefined)
      throw new KubeError('CREDENTIALS', `${where}: ${what} was not found, or cannot be executed${hint()}`);
    await checkPolicy(policy, exec.command, path, world);
    const isInteractive = mayAsk(exec, isTerminal() && !isStdinReserved, where);
    const result = await runProgram({
      what,
      path,
      args: exec.args,
      variables: variablesOf(environment, exec, options.cluster, isInteractive),
      isInteractive,
      timeoutMs: isInteractive ? Math.max(timeoutMs, INTERACTIVE_TIMEOUT_MS) : timeoutMs,
      onPrompt: (text) => onPrompt(redact(without(text, secrets))),
      signal,
      env,
    });
    if (result.exitCode !== 0) throw failed(what, result, secrets);
    const renewal = await credentialsFrom(result.stdout, exec.apiVersion, what);
    // Not an error: the clock that is wrong may be ours. The server decides, and ten seconds later we ask again.
    if (renewal.expiresAt !== undefined && renewal.expiresAt <= env.wallNow())
      env.log('warn', 'a credential plugin returned credentials that have expired already', { command: exec.command });
    return renewal;
  };
  return new RenewingSource({ kind: `exec ${basename(exec.command)}`, renew, env });
}

/** Reads a plugin's answer. Rejects CREDENTIALS; nothing of the answer gets into the error. */
async function credentialsFrom(stdout: Uint8Array, apiVersion: string, what: string): Promise<Renewal> {
  try {
    const answer = ConfigFields.of(await parsed(stdout), 'its output');
    if (answer.text('kind') !== 'ExecCredential') throw answer.error('kind', 'expected ExecCredential');
    if (answer.text('apiVersion') !== apiVersion)
      throw answer.error('apiVersion', `expected ${apiVersion}, as the kubeconfig asks for`);
    const status = answer.fields('status');
    if (status === undefined) throw answer.error('status', 'is missing');
    const token = status.text('token');
    const cert = status.text('clientCertificateData');
    const key = status.text('clientKeyData');
    rememberSecret(token, key);
    if ((cert === undefined) !== (key === undefined))
      throw status.error(
        cert === undefined ? 'clientCertificateData' : 'clientKeyData',
        'is missing: the pair belongs together',
      );
    if (token === undefined && cert === undefined)
      throw status.error('token', 'is missing, and so is a client certificate');
    const expiry = status.text('expirationTimestamp');
    const expiresAt = expiry === undefined ? undefined : parseTimestamp(expiry);
    if (expiry !== undefined && expiresAt === undefined)
      throw status.error('expirationTimestamp', 'expected an RFC 3339 time');
    const authorization = token === undefined ? undefined : bearer(token, 'its output: status.token').authorization;
    const certificate =
      cert === undefined || key === undefined ? undefined : checkedPair(cert, key, 'its output: status');
    const credentials: Credentials = defined({ authorization, certificate });
    const shown = { authorization: authorization && 'Bearer [redacted]', certificate };
    return { credentials: conceal(credentials, defined(shown)), ...defined({ expiresAt }) };
  } catch (error) {
    const reason = error instanceof KubeError ? error.message : 'its output is not readable';
    throw new KubeError('CREDENTIALS', `${what} did not print credentials: ${reason}`, { cause: safeCause(error) });
  }
}

async function parsed(stdout: Uint8Array): Promise<unknown> {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(stdout);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Its message quotes the text. And some plugins print YAML.
    return parseYaml(text, 'its output');
  }
}

function mayAsk(exec: ExecPlan, isAvailable: boolean, where: string): boolean {
  if (exec.interactiveMode === 'Always' && !isAvailable)
    throw new KubeError(
      'CREDENTIALS',
      `${where}.interactiveMode: the plugin must ask somebody, and stdin is no terminal`,
    );
  return exec.interactiveMode !== 'Never' && isAvailable;
}

/** Ours, then the kubeconfig's, then the question itself. They go to the child; ours stay as they are. */
function variablesOf(
  environment: Readonly<Record<string, string | undefined>>,
  exec: ExecPlan,
  cluster: ExecClusterInfo,
  isInteractive: boolean,
): Record<string, string | undefined> {
  const spec = {
    interactive: isInteractive,
    ...(exec.provideClusterInfo ? { cluster: clusterInfo(cluster, exec) } : {}),
  };
  const question = JSON.stringify({ kind: 'ExecCredential', apiVersion: exec.apiVersion, spec });
  return Object.fromEntries([
    ...Object.entries(environment),
    ...exec.env.map(({ name, value }) => [name, value] as const),
    ['KUBERNETES_EXEC_INFO', question],
  ]);
}

function clusterInfo(cluster: ExecClusterInfo, exec: ExecPlan): object {
  const ca = cluster.ca?.();
  return defined({
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.insecureSkipTlsVerify || undefined,
    'certificate-authority-data': ca === undefined ? undefined : base64(ca),
    'proxy-url': cluster.proxyUrl,
    'disable-compression': cluster.disableCompression || undefined,
    config: exec.clusterConfig,
  });
}

function failed(what: string, result: ProgramResult, secrets: readonly string[]): KubeError {
  const { exitCode, killedBy, stderr } = result;
  const said = printable(redactOpaque(without(stderr, secrets))).trim();
  const shown = said.length > MOST_SHOWN ? `${said.slice(0, MOST_SHOWN)}…` : said;
  const how = exitCode === null ? `was ended by ${killedBy ?? 'a signal'}` : `failed with exit code ${exitCode}`;
  return new KubeError('CREDENTIALS', `${what} ${how}${shown === '' ? '' : `: ${shown}`}`);
}

/** What the kubeconfig hands to the plugin and the plugin may echo: all variables, and arguments that follow a telling name. */
function secretsOf(exec: ExecPlan): readonly string[] {
  const telling = /token|password|passwd|secret|key|credential/i;
  const args = exec.args.filter((_, at) => telling.test(exec.args[at - 1] ?? ''));
  return [...exec.env.map(({ value }) => value), ...args]
    .filter((value) => value.length >= 4)
    .toSorted((a, b) => b.length - a.length);
}

function without(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}

/** One line, with nothing in it that moves a terminal's cursor. */
function printable(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** The hint on how to install a plugin, at most ten times an hour: it may be long, and requests are many. */
function hourly(env: Env, hint: string | undefined): () => string {
  let shown: number[] = [];
  return () => {
    const now = env.now();
    shown = shown.filter((at) => now - at < HOUR_MS);
    if (hint === undefined || shown.length >= HINTS_PER_HOUR) return '';
    shown.push(now);
    return `. ${printable(hint).slice(0, MOST_SHOWN)}`;
  };
}
