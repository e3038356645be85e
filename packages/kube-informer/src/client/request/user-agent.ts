import { KubeError } from '../../core/errors.ts';

/** Of this package; a test holds it to package.json. */
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

/** `kube-informer/0.1.0 (linux/x64; node 20.19.0)`: what the server's audit log and flow control see. */
export function defaultUserAgent(platform: Platform = globalThis as Platform): string {
  const { process, Deno, Bun } = platform;
  const runtime =
    versioned('deno', Deno?.version?.deno) ??
    versioned('bun', Bun?.version) ??
    versioned('node', process?.versions?.node);
  const machine = process?.platform === undefined ? undefined : `${process.platform}/${process.arch ?? 'unknown'}`;
  return `kube-informer/${VERSION} (${[machine, runtime ?? 'browser'].filter((part) => part !== undefined).join('; ')})`;
}

function versioned(name: string, version: string | undefined): string | undefined {
  return version === undefined ? undefined : `${name} ${version}`;
}

/** Throws INVALID_OPTION unless it can be a header: a line break in it would be a second one. */
export function checkedUserAgent(userAgent: string): string {
  if (typeof userAgent === 'string' && /^[\u0020-\u007e]+$/.test(userAgent)) return userAgent;
  throw new KubeError('INVALID_OPTION', 'userAgent: expected visible ASCII characters, not empty');
}
