import { KubeError } from 'kube-informer/core';
import { statusFailure } from 'kube-informer/testing';
import { FAULTS, type FaultKind } from './coverage.ts';
import type { Dice } from './dice.ts';

/** Faults that come over the world from time to time; all others happen to a request, a stream or a frame. */
export const WEATHER = ['refused', 'compaction', 'lag', 'restore', 'new-cluster', 'freeze'] as const;
export type WeatherKind = (typeof WEATHER)[number];

/** How a stream may end before its time. */
export const FATES = [
  'short-watch',
  'cut-fin',
  'cut-rst',
  'stall',
  'error-event',
  'undecodable',
  'gone-event',
] as const;
export type FateKind = (typeof FATES)[number];

const PER_FRAME: ReadonlySet<FaultKind> = new Set(['duplicate', 'replay', 'lost-event']);

/** How often a fault strikes, per request, stream or frame; weather has its own rhythm. */
export type FaultRates = Readonly<Partial<Record<FaultKind, number>>>;

/**
 * Which faults exist in this run, and how often they strike.
 *
 * Drawn per seed: fixed rates for all seeds find almost nothing, because every
 * run is then the same soup. Some runs have a single fault, some nearly all.
 */
export class Swarm {
  readonly #dice: Dice;
  readonly #rates = new Map<FaultKind, number>();
  #healthy = false;

  /** `only`: these faults at these rates, instead of what the dice say. */
  constructor(dice: Dice, allowed: (fault: FaultKind) => boolean, only?: FaultRates) {
    this.#dice = dice;
    const density = dice.pick([0.08, 0.25, 0.5, 0.8]);
    const most = dice.pick([0.05, 0.2, 0.5]);
    for (const fault of FAULTS) {
      const exists = dice.chance(density);
      const rate = PER_FRAME.has(fault) ? dice.magnitude(0.002, 0.1) : dice.magnitude(0.01, most);
      if (only === undefined && exists && allowed(fault)) this.#rates.set(fault, rate);
    }
    for (const [fault, rate] of Object.entries(only ?? {})) this.#rates.set(fault as FaultKind, rate);
  }

  has(fault: FaultKind): boolean {
    return this.#rates.has(fault);
  }

  /** Whether `fault` strikes now. */
  strikes(fault: FaultKind): boolean {
    const rate = this.#rates.get(fault);
    return rate !== undefined && !this.#healthy && this.#dice.chance(rate);
  }

  get isHealthy(): boolean {
    return this.#healthy;
  }

  set healthy(healthy: boolean) {
    this.#healthy = healthy;
  }

  /** For the trace. */
  describe(): string {
    return [...this.#rates].map(([fault, rate]) => `${fault}:${rate.toFixed(3)}`).join(' ') || 'none';
  }
}

export function refused(): Error {
  return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
}

export function reset(): Error {
  return new KubeError('TRANSPORT', 'the connection broke', {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  });
}

/** A stream that ends with an error code of HTTP/2. */
export function streamError(): Error {
  return new KubeError('TRANSPORT', 'the stream was closed with INTERNAL_ERROR', {
    cause: Object.assign(new Error('Stream closed with error code NGHTTP2_INTERNAL_ERROR'), {
      code: 'ERR_HTTP2_STREAM_ERROR',
    }),
  });
}

export function throttled(retryAfterSeconds?: number): KubeError {
  return statusFailure(
    429,
    'TooManyRequests',
    'too many requests',
    retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } },
  );
}

export function serverError(dice: Dice): KubeError {
  const [code, reason] = dice.pick([
    [500, 'InternalError'],
    [502, 'BadGateway'],
    [503, 'ServiceUnavailable'],
    [504, 'Timeout'],
  ] as const);
  return statusFailure(code, reason, `the server answered ${code}`);
}
