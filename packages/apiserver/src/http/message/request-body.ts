import type { IncomingMessage } from 'node:http';
import type { Resource } from '../../api/schema/resource.ts';
import { jsonSyntaxFault } from '../../core/go/json-syntax.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { badRequestStatusError, StatusError, tooLargeStatusError } from '../../core/status-error.ts';
import { typeMetaFault } from '../../verbs/request/type-meta.ts';
import { loadedRules, loadRules, RULES_KEY } from '../../api/rules/load-rules.ts';
import { bodyValuesWork, requireFewBodyValues } from './body-values.ts';
import { checkDepth, DepthError } from './depth.ts';

const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The whole body. Throws 413 when it is too big. If the body has rules, loads their interpreter. */
export async function readRequestBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw tooLargeStatusError(`Request entity too large: limit is ${MAX_BODY_BYTES}`);
    chunks.push(chunk);
  }
  const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  if (loadedRules() === undefined && body.includes(RULES_KEY)) await loadRules();
  return body;
}

/** A body after parsing; `text` is kept if duplicate keys can still be found in it. */
export interface DecodedBody {
  readonly value: JsonObject | null;
  readonly text: string | undefined;
  /** Duplicate keys of a YAML body, which the parsed value does not show. */
  readonly duplicates?: readonly string[];
}

/** The kind of a path: it is named in failures, and assumed if a body has no kind. */
export type Expected = Pick<Resource, 'group' | 'version' | 'kind'>;

export async function decodeRequestBody(body: Buffer, type: string, expected: Expected): Promise<DecodedBody> {
  const heading = `the object provided is unrecognized (must be of type ${expected.kind}): `;
  return parseRequestBody(body, type, expected, (why) => `${heading}${why} (${firstRequestBodyBytes(body)})`);
}

/** Parses a body. Throws 400 with the message that `refusal` returns for the reason. */
export async function parseRequestBody(
  body: Buffer,
  type: string,
  expected: Expected,
  refusal: (why: string) => string,
): Promise<DecodedBody> {
  try {
    const { value, ...rest } = await parseRequestBodyByType(body, type, expected);
    requireFewBodyValues(value);
    const fault = typeMetaFault(value);
    if (fault !== undefined) throw new Error(fault);
    return { value: value as JsonObject | null, ...rest };
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequestStatusError(refusal(error instanceof Error ? error.message : String(error)));
  }
}

async function parseRequestBodyByType(
  body: Buffer,
  type: string,
  expected: Expected,
): Promise<Omit<DecodedBody, 'value'> & { readonly value: Json }> {
  if (type === 'application/vnd.kubernetes.protobuf') {
    const { decodeProtobuf } = await import('../../api/protobuf/decode-protobuf.ts');
    return { value: decodeProtobuf(body, expected, bodyValuesWork()) as unknown as Json, text: undefined };
  }
  const text = body.toString();
  if (type === 'application/yaml') {
    // Most clients send JSON, and the parser takes long to load.
    const { readYamlBody } = await import('./yaml-body.ts');
    return { ...readYamlBody(text), text: undefined };
  }
  try {
    return { value: parseJsonRequestBody(text), text };
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${jsonRequestBodyFault(text, error)}`, {
      cause: error,
    });
  }
}

/** Parses a body of JSON. Throws an error that `jsonRequestBodyFault` explains. */
export function parseJsonRequestBody(text: string): Json {
  checkDepth(text);
  return JSON.parse(text) as Json;
}

/** The message of Go's parser about a text that is not JSON. */
export function jsonRequestBodyFault(text: string, error: unknown): string {
  return error instanceof DepthError ? error.message : (jsonSyntaxFault(text) ?? String(error));
}

/** The beginning of a body: as text if it looks like JSON, otherwise in hexadecimal. */
function firstRequestBodyBytes(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const head = body.subarray(0, 30);
  const dots = body.length > head.length ? ' ...' : '';
  return (body[0] === 0x7b ? head.toString() : head.toString('hex')) + dots;
}
