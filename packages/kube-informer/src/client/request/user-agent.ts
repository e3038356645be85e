import { KubeError } from '../../core/errors.ts';

/** Version of this package; a test compares it with package.json. */
export const VERSION = '0.1.0';

interface Platform {
  readonly process?: {
    readonly platform?: string;
    readonly arch?: string;
    readonly versions?: { readonly node?: string };
  };
  readonly Deno?: { readonly version?: { readonly deno?: string } };
  readonly Bun?: { readonly version?: string };
}

/** `kube-informer/0.1.0 (linux/x64; node 20.19.0)`: appears in the server's audit log. */
export function defaultUserAgent(platform: Platform = globalThis as Platform): string {
  const { process, Deno, Bun } = platform;
  const runtime =
    userAgentRuntime('deno', Deno?.version?.deno) ??
    userAgentRuntime('bun', Bun?.version) ??
    userAgentRuntime('node', process?.versions?.node);
  const machine = process?.platform === undefined ? undefined : `${process.platform}/${process.arch ?? 'unknown'}`;
  return `kube-informer/${VERSION} (${[machine, runtime ?? 'browser'].filter((part) => part !== undefined).join('; ')})`;
}

function userAgentRuntime(name: string, version: string | undefined): string | undefined {
  return version === undefined ? undefined : `${name} ${version}`;
}

/** Throws INVALID_OPTION unless it can be a header: a line break would start a second one. */
export function checkedUserAgent(userAgent: string): string {
  if (typeof userAgent === 'string' && /^[\u0020-\u007e]+$/.test(userAgent)) return userAgent;
  throw new KubeError('INVALID_OPTION', 'userAgent: expected visible ASCII characters, not empty');
}
