import { KubeError } from 'kube-informer/core';
import { serviceIdOfWebhookAddress } from '../admission/webhooks/webhook-address.ts';
import type { Fields } from '../api/kinds/common/fields.ts';
import { textField } from '../api/kinds/common/fields.ts';
import { type Check, checkShape, functionCheck, shapeCheck, textCheck } from '../core/shape-check.ts';
import { copyJson, type Json, type JsonObject } from '../core/json.ts';
import type { ApiObject } from '../core/kube-object.ts';

/** `apiextensions.k8s.io/v1` ConversionReview: what conversion webhooks receive and return. */
export interface ConversionReview {
  readonly apiVersion: string;
  readonly kind: 'ConversionReview';
  readonly request?: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly ApiObject[];
  };
  readonly response?: object;
}

type MaybePromise<T> = T | Promise<T>;

/** A conversion webhook as a function of this process. */
export interface ConversionOptions {
  /**
   * Name of a definition, such as `crontabs.example.com`, whose objects the function converts. Overrides
   * `spec.conversion`.
   */
  readonly on?: string;
  /** `namespace/name` of a service: conversion calls of definitions to it are passed to the function. */
  readonly service?: string;
  /** The URL in definitions: their conversion calls are passed to the function. */
  readonly url?: string;
  /** Changes the object to the version `to` (`example.com/v2`), or returns another one in its place. `apiVersion` is set by the server. */
  readonly convert?: (object: ApiObject, to: string) => MaybePromise<ApiObject | void>;
  /** A whole webhook: gets the ConversionReview and returns it with a response. */
  readonly review?: (review: ConversionReview) => MaybePromise<object>;
}

/** A function that converts, until it is removed. */
export interface ConversionHook extends Disposable {
  /** Number of calls so far. */
  readonly calls: number;
  remove(): void;
}

const OPTIONS = shapeCheck({
  on: textCheck,
  service: textCheck,
  url: textCheck,
  convert: functionCheck,
  review: functionCheck,
} satisfies Record<keyof ConversionOptions, Check>);

/** The functions of this process that convert. */
export class ConversionHooks {
  readonly #hooks = new Set<Hook>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  add(options: ConversionOptions): ConversionHook {
    checkShape(OPTIONS, options, '', 'server.conversion');
    const { on, service, url, convert, review } = options;
    if (on === undefined && service === undefined && url === undefined)
      throw new KubeError(
        'INVALID_OPTION',
        "server.conversion: expected on, for example 'crontabs.example.com', or service, or url",
      );
    if ((convert === undefined) === (review === undefined))
      throw new KubeError('INVALID_OPTION', 'server.conversion: expected either convert or review');
    const hook = new Hook(options, () => {
      this.#hooks.delete(hook);
      this.#onChange();
    });
    this.#hooks.add(hook);
    this.#onChange();
    return hook;
  }

  /** The function for the objects of a definition; undefined if there is none. */
  for(definition: string, config: Fields): Hook | undefined {
    const [service, url] = [serviceIdOfWebhookAddress(config), textField(config, 'url')];
    for (const hook of this.#hooks) {
      const { options } = hook;
      if (options.on === definition) return hook;
      if ((service !== '' && options.service === service) || (url !== '' && options.url === url)) return hook;
    }
    return undefined;
  }
}

class Hook implements ConversionHook {
  readonly options: ConversionOptions;
  readonly remove: () => void;
  calls = 0;

  constructor(options: ConversionOptions, remove: () => void) {
    this.options = options;
    this.remove = remove;
  }

  [Symbol.dispose](): void {
    this.remove();
  }

  /** The response to a review; not a promise if the function returns at once. */
  answer(sent: JsonObject): MaybePromise<Json> {
    this.calls += 1;
    const review = copyJson(sent) as unknown as ConversionReview & Required<Pick<ConversionReview, 'request'>>;
    const { convert, review: whole } = this.options;
    if (convert === undefined)
      return whenConvertedInProcess(whole?.(review), (answer) => asInProcessConversionJson(answer ?? null));
    const { apiVersion, kind, request } = review;
    const { uid, desiredAPIVersion, objects } = request;
    const [object] = objects as [ApiObject];
    return whenConvertedInProcess(convert(object, desiredAPIVersion), (changed) =>
      asInProcessConversionJson({
        apiVersion,
        kind,
        response: {
          uid,
          result: { status: 'Success' },
          convertedObjects: [{ ...(changed ?? object), apiVersion: desiredAPIVersion }],
        },
      }),
    );
  }
}

const asInProcessConversionJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

/** Passes a value, or the result of a promise, to `next`; in the same turn if it is not a promise. */
const whenConvertedInProcess = <T, R>(value: MaybePromise<T>, next: (value: T) => R): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);
