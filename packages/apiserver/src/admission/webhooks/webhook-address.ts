import { isIP } from 'node:net';
import { posix } from 'node:path';
import { type Fields, fieldsAt, isFields, numberField, textField } from '../../api/kinds/common/fields.ts';

/** Hosts besides the loopback at which webhooks may be called. */
export interface WebhookOptions {
  /** Hosts that webhooks may be called at. @default none but the loopback */
  readonly hosts?: readonly string[];
  /** Addresses of services: `{ 'system/hooks': 'https://127.0.0.1:9443' }`. @default none */
  readonly services?: Readonly<Record<string, string>>;
}

export interface ClientAddress {
  readonly url: URL;
  /** The name that the certificate must have. */
  readonly serverName: string;
}

const HTTPS_PORT = 443;

/** The address of a `clientConfig`. Throws for an address that this server does not send requests to. */
export function webhookAddressOfClient(config: Fields, { hosts = [], services = {} }: WebhookOptions): ClientAddress {
  const service = config['service'];
  if (isFields(service)) return webhookAddressOfService(service, new Map(Object.entries(services)));
  const url = new URL(textField(config, 'url'));
  if (!isLoopbackWebhookAddress(url.hostname) && !hosts.includes(url.hostname))
    throw new Error(
      `Post "${url.href}": the embedded server calls webhooks on the loopback only; to allow this one, start it with ` +
        `{ webhooks: { hosts: [${JSON.stringify(url.hostname)}] } }, or answer in this process with ` +
        `server.admission({ url: ${JSON.stringify(url.href)}, review })`,
    );
  cleanWebhookPath(url);
  return { url, serverName: serverNameOfWebhookAddress(url.hostname) };
}

/** Cleans the path like the real server's client: envtest writes `//path`, which a Go server would redirect. */
function cleanWebhookPath(url: URL): void {
  url.pathname = posix.normalize(url.pathname).replace(/(?<=.)\/$/, '');
}

function webhookAddressOfService(service: Fields, services: ReadonlyMap<string, string>): ClientAddress {
  const id = webhookAddressServiceId(service);
  const [name, namespace] = [textField(service, 'name'), textField(service, 'namespace')];
  const base = services.get(id);
  const port = numberField(service, 'port') ?? HTTPS_PORT;
  const path = textField(service, 'path');
  const host = `${name}.${namespace}.svc`;
  if (base === undefined)
    throw new Error(
      `Post "https://${host}:${port}${path}": the embedded server has no services; to send the calls elsewhere, start it ` +
        `with { webhooks: { services: { ${JSON.stringify(id)}: 'https://127.0.0.1:9443' } } }, or answer in this process ` +
        `with server.admission({ service: ${JSON.stringify(id)}, review })`,
    );
  const url = new URL(base);
  if (path !== '') url.pathname = path;
  cleanWebhookPath(url);
  // The certificate belongs to the service, wherever that runs.
  return { url, serverName: host };
}

/** `namespace/name` of a service in a `clientConfig`; empty if it has none. */
export function webhookAddressServiceId(service: Fields): string {
  const [name, namespace] = [textField(service, 'name'), textField(service, 'namespace')];
  return `${namespace}/${name}`;
}

export const serviceIdOfWebhookAddress = (config: Fields): string =>
  isFields(config['service']) ? webhookAddressServiceId(fieldsAt(config, 'service')) : '';

const serverNameOfWebhookAddress = (hostname: string): string =>
  isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '';

const isLoopbackWebhookAddress = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
