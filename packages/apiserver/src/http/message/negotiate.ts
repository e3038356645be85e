import {
  statusError,
  notAcceptableStatusError,
  type StatusError,
  unsupportedMediaTypeStatusError,
} from '../../core/status-error.ts';

/** The form in which a response shows an object. */
export type As = 'object' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'Table';

export interface Accepted {
  readonly type: MediaType;
  readonly as: As;
  /** Version of the requested form: `v1` or `v1beta1`. */
  readonly version: string;
  readonly pretty: boolean;
}

export type MediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

/** Media types in order of preference, for clients that accept several. */
const TYPES: readonly MediaType[] = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
export const MEDIA_TYPES: readonly string[] = TYPES;

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** The parts of a request that limit the forms of its response. */
export interface Negotiable {
  /** Whether a router checks first that a type is accepted by its name, or any type. @default true */
  readonly isRouted?: boolean;
  /** Whether it is a custom resource: those have no protobuf form, only their metadata does. @default false */
  readonly isCustom?: boolean;
}

/**
 * Chooses the form of a response from an Accept header: the first clause that can be served, ordered by
 * quality, then by how specific it is, then by position.
 */
export function negotiate(
  accept: string | undefined,
  { isRouted = true, isCustom = false }: Negotiable = {},
): Accepted {
  const clauses = acceptHeaderToNegotiate(accept ?? '');
  if (clauses.length === 0) return { type: 'application/json', as: 'object', version: '', pretty: false };
  if (isRouted && !clauses.some(({ type }) => type === '*/*' || MEDIA_TYPES.includes(type))) throw notNegotiable();
  for (const { type, parameters } of clauses) {
    const as = negotiatedForm(parameters);
    if (as === undefined) continue;
    const isLimited = as === 'Table' || (isCustom && as === 'object');
    const media = negotiableMediaTypes(type, parameters).find((one) => !isLimited || one !== PROTOBUF);
    if (media === undefined) continue;
    return { type: media, as, version: parameters.get('v') ?? '', pretty: parameters.get('pretty') === '1' };
  }
  throw notAcceptableStatusError(MEDIA_TYPES);
}

/** Throws 406 if a client does not accept JSON, for a response that has no other form. */
export function negotiateJsonOnly(accept: string | undefined): void {
  const clauses = acceptHeaderToNegotiate(accept ?? '');
  if (clauses.length > 0 && !clauses.some(({ type }) => type === '*/*' || type === 'application/json'))
    throw notNegotiable(['application/json']);
}

/** The form of a failure: the first plain form that the client accepts, otherwise indented JSON. */
export function negotiatePlainForm(accept: string | undefined): Pick<Accepted, 'type' | 'pretty'> {
  const clauses = acceptHeaderToNegotiate(accept ?? '');
  if (clauses.length === 0) return { type: 'application/json', pretty: false };
  for (const { type, parameters } of clauses) {
    const [media] = negotiableMediaTypes(type, parameters);
    if (media !== undefined && negotiatedForm(parameters) === 'object')
      return { type: media, pretty: parameters.get('pretty') === '1' };
  }
  return { type: 'application/json', pretty: true };
}

/** The status 406. Types that no handler supports are refused before routing, with another message. */
const notNegotiable = (types = MEDIA_TYPES): StatusError =>
  statusError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`, {
    details: {},
  });

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const OPEN_TYPES: readonly string[] = ['application/*', '*/*', '*'];

/** The types that a clause allows. Only JSON and protobuf have a streaming form. */
function negotiableMediaTypes(type: string, parameters: ReadonlyMap<string, string>): readonly MediaType[] {
  const stream = parameters.get('stream') ?? '';
  if (stream !== '' && stream !== 'watch') return [];
  return TYPES.filter(
    (one) => (one === type || OPEN_TYPES.includes(type)) && (stream === '' || one !== 'application/yaml'),
  );
}

/** The form that parameters request; undefined for a conversion that is not offered. */
function negotiatedForm(parameters: ReadonlyMap<string, string>): As | undefined {
  const as = parameters.get('as');
  if (as === undefined) return parameters.has('g') || parameters.has('v') ? undefined : 'object';
  if (parameters.get('g') !== 'meta.k8s.io') return undefined;
  const version = parameters.get('v');
  if (as === 'Table') return version === 'v1' || version === 'v1beta1' ? as : undefined;
  if (as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') return undefined;
  return version === 'v1' || version === 'v1beta1' ? as : undefined;
}

function acceptHeaderToNegotiate(text: string): Clause[] {
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
  return clauses.toSorted((a, b) => b.quality - a.quality || countNegotiatedStars(a) - countNegotiatedStars(b));
}

const countNegotiatedStars = ({ type }: Clause): number => type.split('*').length;

/** The media type of a body, without parameters. */
export const mediaType = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** The media type of a body; without one it is JSON. */
export function negotiateBodyMediaType(contentType: string | undefined): string {
  const type = mediaType(contentType);
  if (type === '') return 'application/json';
  if (!MEDIA_TYPES.includes(type)) throw unsupportedMediaTypeStatusError(MEDIA_TYPES);
  return type;
}

/** Whether a response is indented: for browsers and command line tools. */
export function negotiatePretty(query: URLSearchParams, userAgent: string, accepted: boolean): boolean {
  const asked = query.get('pretty');
  if (asked !== null && asked !== '') return asked === 'true' || asked === '1';
  if (asked === '') return false;
  return accepted || /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}
