import type { Env } from 'kube-informer/core';
import type { WebhookOptions } from '../admission/webhooks/webhook-address.ts';
import { type Fields, fieldsAt, textField, textsField } from '../api/kinds/common/fields.ts';
import { type DefinitionSpec, customVersionsOfDefinition } from '../api/kinds/definition/custom-version.ts';
import type { Revised, VersionConverter } from '../api/kinds/definition/custom-version.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { ApiObject } from '../core/kube-object.ts';
import { StatusError } from '../core/status-error.ts';
import { uuid } from '../core/uuid.ts';
import { ConversionNeeded } from '../registry/conversion-needed.ts';
import { ConversionHooks, type ConversionHook, type ConversionOptions } from './in-process-conversion.ts';
import {
  type ConversionRequest,
  conversionReviewFailed,
  conversionReview,
  objectInConversionReview,
} from './conversion-review.ts';

/** Time limit of a conversion, as on a real server. */
const TIMEOUT_SECONDS = 30;

/** Maximum number of results of writes that are kept: a write needs them again within a few turns. */
const MAX_KEPT = 1_000;

/** The conversions of a server. */
export class Conversions {
  readonly #env: Env;
  readonly #webhooks: WebhookOptions;
  readonly #hooks = new ConversionHooks(() => (this.#age += 1));
  /** Increased with every change of the functions, so that earlier results are no longer used. */
  #age = 0;

  constructor(env: Env, webhooks: WebhookOptions = {}) {
    this.#env = env;
    this.#webhooks = webhooks;
  }

  /** Adds a function that converts. */
  add(options: ConversionOptions): ConversionHook {
    return this.#hooks.add(options);
  }

  /** The converter of a definition. */
  readonly of = (definition: ApiObject, storedIn: VersionConverter['storedIn']): VersionConverter => {
    const { group, names } = customVersionsOfDefinition(definition);
    const conversion = fieldsAt(definition['spec'] as Fields, 'conversion');
    const webhook = fieldsAt(conversion, 'webhook');
    const config = fieldsAt(webhook, 'clientConfig');
    const name = definition.metadata?.name ?? '';
    const reviewVersions = textsField(webhook, 'conversionReviewVersions');
    return new DefinitionConverter({
      group,
      names,
      storedIn,
      age: () => this.#age,
      way: () => {
        const hook = this.#hooks.for(name, config);
        if (hook !== undefined) return { reviewVersions: ['v1'], ask: (review) => hook.answer(review) };
        if (textField(conversion, 'strategy') !== 'Webhook') return undefined;
        return { reviewVersions, ask: (review) => this.#post(config, review) };
      },
      newId: () => uuid(() => this.#env.random()),
    });
  };

  async #post(config: Fields, review: JsonObject): Promise<Json> {
    const { callWebhookInTime } = await import('../admission/webhooks/call-webhook.ts');
    return callWebhookInTime(this.#env, { config, seconds: TIMEOUT_SECONDS, options: this.#webhooks }, review);
  }
}

/** The converter of a definition: a function or a webhook. */
interface Way {
  readonly reviewVersions: readonly string[];
  readonly ask: (review: JsonObject) => Json | Promise<Json>;
}

interface ConverterParts {
  readonly group: string;
  readonly names: DefinitionSpec['names'];
  readonly storedIn: VersionConverter['storedIn'];
  readonly age: () => number;
  /** Undefined if objects are not converted. */
  readonly way: () => Way | undefined;
  readonly newId: () => string;
}

/**
 * Converts the objects of one definition, and caches the results: those of stored states as long as they are
 * stored.
 */
class DefinitionConverter implements VersionConverter {
  readonly #parts: ConverterParts;
  #ofRecords = new WeakMap<Revised, Map<string, ApiObject>>();
  #ofTexts = new Map<string, ApiObject>();
  #age: number;

  constructor(parts: ConverterParts) {
    this.#parts = parts;
    this.#age = parts.age();
  }

  get isActive(): boolean {
    return this.#parts.way() !== undefined;
  }

  storedIn(record: Revised): string | undefined {
    return this.isActive ? this.#parts.storedIn(record) : undefined;
  }

  forget(record: Revised): void {
    this.#ofRecords.delete(record);
  }

  convert(given: ApiObject, from: string, to: string, record?: Revised): ApiObject {
    const { group, names, age, way: findWay, newId } = this.#parts;
    const way = findWay();
    if (from === to || way === undefined) return given;
    if (this.#age !== age()) this.#clear();
    const object: ApiObject = { ...given, apiVersion: `${group}/${from}`, kind: names.kind };
    const text = record === undefined ? `${to} ${JSON.stringify(object)}` : '';
    const known = record === undefined ? this.#ofTexts.get(text) : this.#ofRecords.get(record)?.get(to);
    if (known !== undefined) return known;
    const { reviewVersions, ask } = way;
    const request: ConversionRequest = { uid: newId(), to: `${group}/${to}`, object, reviewVersions };
    const keep = (converted: ApiObject): void => {
      if (record === undefined) this.#keepText(text, converted);
      else this.#keepRecord(record, to, converted);
    };
    const review = conversionReview(request);
    const answer = askForConversionNow(request, () => ask(review));
    if (!(answer instanceof Promise)) {
      const converted = objectInConversionReview(request, review, answer);
      keep(converted);
      return converted;
    }
    const settled = answer.then(
      (value) => keep(objectInConversionReview(request, review, value)),
      (error: unknown) => {
        throw conversionFailure(request, error);
      },
    );
    // Callers that need the result await it through `settle`.
    settled.catch(() => {});
    throw new ConversionNeeded(names.kind, () => settled);
  }

  #keepRecord(record: Revised, to: string, converted: ApiObject): void {
    const kept = this.#ofRecords.get(record) ?? new Map<string, ApiObject>();
    this.#ofRecords.set(record, kept.set(to, converted));
  }

  #keepText(text: string, converted: ApiObject): void {
    const oldest = this.#ofTexts.size < MAX_KEPT ? undefined : this.#ofTexts.keys().next().value;
    if (oldest !== undefined) this.#ofTexts.delete(oldest);
    this.#ofTexts.set(text, converted);
  }

  #clear(): void {
    this.#age = this.#parts.age();
    this.#ofRecords = new WeakMap();
    this.#ofTexts = new Map();
  }
}

const conversionFailure = (request: ConversionRequest, error: unknown): StatusError =>
  error instanceof StatusError
    ? error
    : conversionReviewFailed(request, error instanceof Error ? error.message : String(error));

function askForConversionNow(request: ConversionRequest, ask: () => Json | Promise<Json>): Json | Promise<Json> {
  try {
    return ask();
  } catch (error) {
    throw conversionFailure(request, error);
  }
}
