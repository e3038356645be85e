import { KubeError } from 'kube-informer/core';
import {
  type Check,
  shapeCheckThat,
  checkShape,
  functionCheck,
  listShapeCheck,
  oneOfShapeCheck,
  shapeCheck,
  textCheck,
} from '../../core/shape-check.ts';
import type { Fields } from '../../api/kinds/common/fields.ts';
import { textField } from '../../api/kinds/common/fields.ts';
import { copyJson, isSameJson, type Json, type JsonObject } from '../../core/json.ts';
import type { ApiObject } from '../../core/kube-object.ts';
import type { Operation } from '../../verbs/admission-gate.ts';
import { serviceIdOfWebhookAddress } from './webhook-address.ts';
import type { Webhook } from './webhook.ts';

/** The request that a webhook decides about, as in an AdmissionReview. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: Operation;
  readonly userInfo: { readonly username: string; readonly uid?: string; readonly groups: readonly string[] };
  /** Null in a DELETE. */
  readonly object: ApiObject | null;
  /** Null in a CREATE. */
  readonly oldObject: ApiObject | null;
  readonly dryRun: boolean;
  readonly options: object;
}

/** `admission.k8s.io/v1` AdmissionReview: what webhooks receive and return. */
export interface AdmissionReview {
  readonly apiVersion: string;
  readonly kind: 'AdmissionReview';
  readonly request?: AdmissionRequest;
  readonly response?: object;
}

type MaybePromise<T> = T | Promise<T>;

/**
 * A webhook as a function of this process. It also gets the writes of the server's own controllers if it
 * returns at once: those happen in one turn of the event loop, and a promise would settle too late for them.
 */
export interface AdmissionOptions {
  /** The name in refusals. @default 'in-process.kube-informer.dev' */
  readonly name?: string;
  /** Resources whose writes are passed to it: `v1/pods`, `apps/v1/deployments`, `apps/v1/deployments/scale`, `*`. */
  readonly on?: string | readonly string[];
  /** @default ['CREATE', 'UPDATE'] */
  readonly operations?: readonly Operation[];
  /** `namespace/name` of a service: calls of stored configurations to it are passed to `review`. */
  readonly service?: string;
  /** The URL of a stored configuration: its calls are passed to `review`. */
  readonly url?: string;
  /** A whole webhook: gets the AdmissionReview and returns it with a response. */
  readonly review?: (review: AdmissionReview) => MaybePromise<object>;
  /** Changes the object, or returns another one in its place. */
  readonly mutate?: (object: ApiObject, request: AdmissionRequest) => MaybePromise<ApiObject | void>;
  /** Returns the reason to refuse the request, or nothing if it is allowed. For a DELETE it gets the old object. */
  readonly validate?: (object: ApiObject, request: AdmissionRequest) => MaybePromise<string | undefined | void>;
}

/** A function that acts as a webhook, until it is removed. */
export interface AdmissionHook extends Disposable {
  /** Number of calls so far. */
  readonly calls: number;
  remove(): void;
}

type Answer = (review: JsonObject) => MaybePromise<Json>;

/** Passes a value, or the result of a promise, to `next`; in the same turn if it is not a promise. */
const whenInProcessWebhookAnswers = <T, R>(value: MaybePromise<T>, next: (value: T) => R): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** The functions of this process that act as webhooks. */
export class InProcessHooks {
  readonly #hooks = new Set<Hook>();

  get size(): number {
    return this.#hooks.size;
  }

  add(options: AdmissionOptions): AdmissionHook {
    checkShape(OPTIONS, options, '', 'server.admission');
    requireInProcessWebhookUse(options);
    const hook = new Hook(options, () => this.#hooks.delete(hook));
    this.#hooks.add(hook);
    return hook;
  }

  /** The function that handles calls to this address; undefined if there is none. */
  answering(config: Fields): Answer | undefined {
    const [service, url] = [serviceIdOfWebhookAddress(config), textField(config, 'url')];
    for (const hook of this.#hooks)
      if ((service !== '' && hook.options.service === service) || (url !== '' && hook.options.url === url))
        return (review) => hook.answer(review);
    return undefined;
  }

  /** Webhooks that exist without a stored configuration. */
  webhooks(isMutating: boolean): Webhook[] {
    return [...this.#hooks].flatMap((hook) => hook.webhook(isMutating) ?? []);
  }
}

const texts = shapeCheckThat(
  'a text, or a list of texts',
  (value) => typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string')),
);
const OPTIONS = shapeCheck({
  name: textCheck,
  on: texts,
  operations: listShapeCheck(oneOfShapeCheck('CREATE', 'UPDATE', 'DELETE', 'CONNECT')),
  service: textCheck,
  url: textCheck,
  review: functionCheck,
  mutate: functionCheck,
  validate: functionCheck,
} satisfies Record<keyof AdmissionOptions, Check>);

/** Throws for a hook that nothing could ever call. */
function requireInProcessWebhookUse({ on, service, url, review, mutate, validate }: AdmissionOptions): void {
  const isAddressed = service !== undefined || url !== undefined;
  if (on === undefined && !isAddressed)
    throw new KubeError('INVALID_OPTION', "server.admission: expected on, for example 'v1/pods', or service, or url");
  if (isAddressed && review === undefined)
    throw new KubeError(
      'INVALID_OPTION',
      'server.admission: service and url need review, which gets the AdmissionReview',
    );
  if (review === undefined && mutate === undefined && validate === undefined)
    throw new KubeError('INVALID_OPTION', 'server.admission: expected mutate, validate or review');
}

const NAME = 'in-process.kube-informer.dev';
let hookIds = 0;

class Hook implements AdmissionHook {
  readonly options: AdmissionOptions;
  readonly #id = `in-process/${(hookIds += 1)}`;
  readonly #leave: () => void;
  calls = 0;

  constructor(options: AdmissionOptions, leave: () => void) {
    this.options = options;
    this.#leave = leave;
  }

  remove(): void {
    this.#leave();
  }

  [Symbol.dispose](): void {
    this.remove();
  }

  webhook(isMutating: boolean): Webhook | undefined {
    const { on, mutate, validate, review, operations = ['CREATE', 'UPDATE'], name = NAME } = this.options;
    if (on === undefined) return undefined;
    const own = isMutating ? (mutate ?? (validate === undefined ? review : undefined)) : validate;
    if (own === undefined) return undefined;
    return {
      id: this.#id,
      name,
      rules: (typeof on === 'string' ? [on] : on).map((resource) => ({
        operations,
        ...inProcessWebhookRule(resource),
      })),
      criteria: {},
      conditions: [],
      ignoresFailures: false,
      timeoutSeconds: 10,
      isReinvoked: false,
      hasSideEffects: false,
      reviewVersions: ['v1'],
      isInProcess: true,
      call: (sent) => this.answer(sent, isMutating ? mutate : undefined, isMutating ? undefined : validate),
    };
  }

  answer(
    sent: JsonObject,
    mutate?: AdmissionOptions['mutate'],
    validate?: AdmissionOptions['validate'],
  ): MaybePromise<Json> {
    this.calls += 1;
    const review = copyJson(sent) as unknown as AdmissionReview & { readonly request: AdmissionRequest };
    if (mutate !== undefined) return answerInProcessMutatingWebhook(review, mutate);
    if (validate !== undefined) return answerInProcessValidatingWebhook(review, validate);
    return whenInProcessWebhookAnswers(
      this.options.review?.(review),
      (answer) => JSON.parse(JSON.stringify(answer ?? null)) as Json,
    );
  }
}

type Sent = AdmissionReview & { readonly request: AdmissionRequest };

const inProcessWebhookAnswer = ({ apiVersion, kind, request: { uid } }: Sent, response: JsonObject): Json => ({
  apiVersion,
  kind,
  response: { uid, ...response },
});

function answerInProcessMutatingWebhook(
  review: Sent,
  mutate: NonNullable<AdmissionOptions['mutate']>,
): MaybePromise<Json> {
  const { request } = review;
  const { object } = request;
  if (object === null) return inProcessWebhookAnswer(review, { allowed: true });
  const before = copyJson(object);
  return whenInProcessWebhookAnswers(mutate(object, request), (changed) => {
    const next = changed ?? object;
    if (isSameJson(next, before)) return inProcessWebhookAnswer(review, { allowed: true });
    const patch = Buffer.from(JSON.stringify([{ op: 'replace', path: '', value: next }])).toString('base64');
    return inProcessWebhookAnswer(review, { allowed: true, patchType: 'JSONPatch', patch });
  });
}

function answerInProcessValidatingWebhook(
  review: Sent,
  validate: NonNullable<AdmissionOptions['validate']>,
): MaybePromise<Json> {
  const { request } = review;
  return whenInProcessWebhookAnswers(validate((request.object ?? request.oldObject) as ApiObject, request), (message) =>
    inProcessWebhookAnswer(
      review,
      message === undefined
        ? { allowed: true }
        : { allowed: false, status: { message, code: 403, reason: 'Forbidden' } },
    ),
  );
}

/** The rule for `v1/pods`, `apps/v1/deployments/scale` or `*`. */
function inProcessWebhookRule(text: string): Fields {
  if (text === '*') return { apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
  const parts = text.split('/');
  const group = /^v\d/.test(parts[0] as string) ? '' : (parts.shift() as string);
  const [version = '*', ...resource] = parts;
  return { apiGroups: [group], apiVersions: [version], resources: [resource.join('/')] };
}
