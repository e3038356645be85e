import { statusError, notAcceptable, type StatusError, unsupportedMediaType } from '../../core/status.ts';

/** The form of a response. */
export type As = 'object' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'Table';

export interface Accepted {
  readonly type: 'application/json' | 'application/yaml';
  readonly as: As;
  /** Version of the form asked for: `v1` or `v1beta1`. */
  readonly version: string;
  readonly pretty: boolean;
}

export const MEDIA_TYPES: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/**
 * Chooses the form of a response from an Accept header: the first clause, by quality, by how much it leaves open and then
 * by place, that can be served. Protobuf is never served, so a client that takes JSON too gets JSON.
 *
 * Where requests are routed, a router comes first that wants a type by its name, or just any.
 */
export function negotiate(accept: string | undefined, isRouted = true): Accepted {
  const clauses = parseAcceptHeader(accept ?? '');
  if (clauses.length === 0) return { type: 'application/json', as: 'object', version: '', pretty: false };
  if (isRouted && !clauses.some(({ type }) => type === '*/*' || MEDIA_TYPES.includes(type))) throw notNegotiable();
  for (const { type, parameters } of clauses) {
    const media = negotiableMediaType(type);
    const as = media === undefined ? undefined : negotiatedForm(parameters);
    if (media === undefined || as === undefined) continue;
    return { type: media, as, version: parameters.get('v') ?? '', pretty: parameters.get('pretty') === '1' };
  }
  throw notAcceptable(MEDIA_TYPES);
}

/** The form of a failure: the first plain form that the client accepts, else indented JSON. */
export function negotiatePlainForm(accept: string | undefined): Pick<Accepted, 'type' | 'pretty'> {
  const clauses = parseAcceptHeader(accept ?? '');
  if (clauses.length === 0) return { type: 'application/json', pretty: false };
  for (const { type, parameters } of clauses) {
    const media = negotiableMediaType(type);
    if (media !== undefined && !parameters.has('as')) return { type: media, pretty: parameters.get('pretty') === '1' };
  }
  return { type: 'application/json', pretty: true };
}

/** Types that no handler knows are refused before the request reaches one, in other words. */
const notNegotiable = (): StatusError =>
  statusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${MEDIA_TYPES.join(', ')}`, {
    details: {},
  });

function negotiableMediaType(type: string): Accepted['type'] | undefined {
  if (type === 'application/yaml') return type;
  return ['application/json', 'application/*', '*/*', '*'].includes(type) ? 'application/json' : undefined;
}

/** Undefined: a conversion that is not offered. */
function negotiatedForm(parameters: ReadonlyMap<string, string>): As | undefined {
  const as = parameters.get('as');
  if (as === undefined) return 'object';
  if (parameters.get('g') !== 'meta.k8s.io') return undefined;
  const version = parameters.get('v');
  if (as === 'Table') return version === 'v1' || version === 'v1beta1' ? as : undefined;
  if (as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') return undefined;
  return version === 'v1' || version === 'v1beta1' ? as : undefined;
}

function parseAcceptHeader(text: string): Clause[] {
  const clauses: Clause[] = [];
  for (const part of text.split(',')) {
    const [type = '', ...rest] = part.split(';').map((piece) => piece.trim());
    if (type === '' && rest.length === 0) continue;
    const parameters = new Map<string, string>();
    for (const piece of rest) {
      const equals = piece.indexOf('=');
      if (equals > 0) parameters.set(piece.slice(0, equals).toLowerCase(), piece.slice(equals + 1).replaceAll('"', ''));
    }
    const quality = Number(parameters.get('q') ?? '1');
    clauses.push({ type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality });
  }
  return clauses.toSorted((a, b) => b.quality - a.quality || countMediaTypeStars(a) - countMediaTypeStars(b));
}

const countMediaTypeStars = ({ type }: Clause): number => type.split('*').length;

/** The media type of a body, without parameters. */
export const mediaType = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Bodies without a type are JSON. */
export function negotiateBodyMediaType(contentType: string | undefined): string {
  const type = mediaType(contentType);
  if (type === '') return 'application/json';
  if (!MEDIA_TYPES.includes(type)) throw unsupportedMediaType(MEDIA_TYPES);
  return type;
}

/** Browsers and command line tools get indented responses. */
export function negotiatePretty(query: URLSearchParams, userAgent: string, accepted: boolean): boolean {
  const asked = query.get('pretty');
  if (asked !== null && asked !== '') return asked === 'true' || asked === '1';
  if (asked === '') return false;
  return accepted || /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}
