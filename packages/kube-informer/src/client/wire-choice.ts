import { defined } from '../core/defined.ts';
import type { Env } from '../core/env.ts';
import { requireOption } from '../core/errors.ts';
import type { UnknownField } from '../core/object/object-codec.ts';
import { describeObjectType, type TypeRef } from '../core/object/object.ts';

/** Encoding of lists and watches. `auto`: protobuf for kinds that this version of the library knows completely. */
export type Wire = 'auto' | 'json';

/** Whole objects, or only their metadata, which is a fraction of the bytes. */
export type Representation = 'full' | 'metadata';

/** The Accept header of a list, and of everything else. */
interface Accept {
  readonly list: string;
  readonly one: string;
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const JSON_TYPE = 'application/json';

const ACCEPT_JSON: Readonly<Record<Representation, Accept>> = {
  full: { list: JSON_TYPE, one: JSON_TYPE },
  metadata: {
    list: `${wireChoiceOfMetadata(JSON_TYPE, 'List')},${JSON_TYPE}`,
    one: `${wireChoiceOfMetadata(JSON_TYPE)},${JSON_TYPE}`,
  },
};

/**
 * Accept headers for protobuf. The server uses the first type that it can encode: custom resources have no
 * protobuf.
 */
const ACCEPT_PROTOBUF: Readonly<Record<Representation, Accept>> = {
  full: { list: `${PROTOBUF},${JSON_TYPE}`, one: `${PROTOBUF},${JSON_TYPE}` },
  metadata: {
    list: `${wireChoiceOfMetadata(PROTOBUF, 'List')},${ACCEPT_JSON.metadata.list}`,
    one: `${wireChoiceOfMetadata(PROTOBUF)},${ACCEPT_JSON.metadata.one}`,
  },
};

function wireChoiceOfMetadata(type: string, suffix = ''): string {
  return `${type};as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1`;
}

/** Throws INVALID_OPTION unless it is a `Wire`. */
export function requireWireChoice(wire: Wire | undefined): void {
  requireOption(wire === undefined || wire === 'auto' || wire === 'json', 'wire', "'auto' or 'json'", wire);
}

/** The Accept header of single objects and writes, which are always JSON. */
export function acceptJsonByWireChoice(representation: Representation): Accept {
  return ACCEPT_JSON[representation];
}

/**
 * Which resources of a server are read as protobuf.
 *
 * Once the server has sent an unknown kind or field of a resource, the resource is read as JSON for the life
 * of the client: the field would be lost (PKD-03).
 */
export class WireChoice {
  readonly #env: Env;
  readonly #json = new Set<string>();

  constructor(env: Env) {
    this.#env = env;
  }

  /** Whether lists and watches of a resource are requested in protobuf. */
  usesProtobuf(resource: string, wire: Wire): boolean {
    return wire === 'auto' && !this.#json.has(resource);
  }

  accept(representation: Representation, isProtobuf: boolean): Accept {
    return (isProtobuf ? ACCEPT_PROTOBUF : ACCEPT_JSON)[representation];
  }

  /** Reads the resource as JSON from now on. Warns once, with names and numbers only. */
  fallBack(resource: string, type: TypeRef, field: UnknownField | undefined): void {
    if (this.#json.has(resource)) return;
    this.#json.add(resource);
    this.#env.log('warn', 'the server sent protobuf that this version does not know; the resource is read as JSON', {
      resource,
      type: describeObjectType(type),
      ...defined({ message: field?.message, field: field?.field }),
    });
  }
}
