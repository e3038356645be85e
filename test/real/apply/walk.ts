import { StatusError } from '../../../packages/apiserver/src/core/status-error.ts';
import { serverSideApply } from '../../../packages/apiserver/src/api/apply/server-side-apply.ts';
import { managedFieldsAfterUpdate } from '../../../packages/apiserver/src/api/apply/managed-fields.ts';
import type { ApiObject, ManagedFields } from '../../../packages/apiserver/src/core/kube-object.ts';
import type { Random } from './random.ts';
import { type Answer, APPLY, type Ask, MERGE, STRATEGIC } from './requests.ts';
import { metadata, type Subject } from './subjects.ts';

export interface Step {
  /** The requests so far, to debug a difference. */
  readonly asked: unknown;
  readonly ours: unknown;
  readonly theirs: unknown;
}

const MANAGERS = ['m1', 'm2', 'm3'];
const NULL_LEFT = /in body must be of type \w+: "null"/;
const NO_TIME = '2000-01-01T00:00:00Z';

/** Random writes to one object on a real server, each repeated by our functions from the same state. */
export class Walk {
  readonly #ask: Ask;
  readonly #subject: Subject;
  readonly #random: Random;
  readonly #name: string;
  readonly #apiVersion: string;
  #live: ApiObject | undefined;

  constructor(ask: Ask, subject: Subject, random: Random, name: string) {
    this.#ask = ask;
    this.#subject = subject;
    this.#random = random;
    this.#name = name;
    const { group, version } = subject.resource;
    this.#apiVersion = group === '' ? version : `${group}/${version}`;
  }

  async step(): Promise<Step | undefined> {
    const random = this.#random;
    const subresource =
      this.#live !== undefined && this.#subject.status !== undefined && random.chance(0.25) ? 'status' : '';
    if (random.chance(this.#live === undefined ? 0.7 : 0.6)) return await this.#apply(subresource);
    return this.#live === undefined ? await this.#create() : await this.#update(this.#live, subresource);
  }

  async end(): Promise<void> {
    const { path } = this.#subject;
    await this.#ask('PATCH', `${path}/${this.#name}`, { metadata: { finalizers: null } }, MERGE);
    await this.#ask('DELETE', `${path}/${this.#name}`);
  }

  #object(isWhole: boolean, subresource: string): ApiObject {
    const subject = this.#subject;
    const random = this.#random;
    return {
      apiVersion: this.#apiVersion,
      kind: subject.resource.kind,
      metadata: { name: this.#name, ...(random.chance(0.6) ? metadata(random) : {}) },
      ...(subresource === '' || random.chance(0.3) ? subject.config(random, isWhole) : {}),
      ...(subject.status !== undefined && (subresource === 'status' || random.chance(0.1))
        ? { status: subject.status(random) }
        : {}),
    };
  }

  #url(subresource: string, manager: string, more = ''): string {
    const { path } = this.#subject;
    return `${path}/${this.#name}${subresource === '' ? '' : `/${subresource}`}?fieldManager=${manager}${more}`;
  }

  async #apply(subresource: string): Promise<Step | undefined> {
    const manager = this.#random.pick(MANAGERS);
    const force = this.#random.chance(0.4);
    const applied = this.#object(this.#live === undefined, subresource);
    const asked = { verb: 'apply', subresource, manager, force, applied, live: this.#live };
    const live = this.#live;
    const attempt = (now: string): ApiObject | StatusError => {
      try {
        return serverSideApply({ ...this.#request(manager, subresource, now), live, applied, force });
      } catch (error) {
        if (error instanceof StatusError) return error;
        throw error;
      }
    };
    const object = attempt(NO_TIME);
    const whole = object instanceof StatusError ? undefined : await this.#asServed(object, subresource);
    const theirs = await this.#ask('PATCH', this.#url(subresource, manager, `&force=${force}`), applied, APPLY);
    const ours = attempt(timeOf(theirs, manager, 'Apply', subresource));
    if (ours instanceof StatusError || whole === undefined || theirs.code === 409 || theirs.code === 500)
      return {
        asked,
        ours: ours instanceof StatusError ? failureOf(ours.status) : ours,
        theirs: failureOf(theirs.body),
      };
    // Custom resources keep a null where everything in a map went, and their schema may not. PUT would drop it.
    if (NULL_LEFT.test(theirs.body.message ?? ''))
      return { asked, ours: JSON.stringify(ours).includes(':null'), theirs: true };
    if (theirs.code >= 400) return { asked, ours: whole.body.message, theirs: theirs.body.message };
    this.#live = theirs.body;
    return {
      asked,
      ours: { object: comparable(whole.body), managedFields: ours.metadata?.managedFields },
      theirs: { object: comparable(theirs.body), managedFields: theirs.body.metadata?.managedFields },
    };
  }

  /** The object with the real server's defaults, from a dry run. */
  async #asServed(object: ApiObject, subresource: string): Promise<Answer> {
    if (this.#live === undefined) return await this.#ask('POST', `${this.#subject.path}?dryRun=All`, object);
    return await this.#ask('PUT', this.#url(subresource, 'dry', '&dryRun=All'), object);
  }

  async #create(): Promise<Step | undefined> {
    const manager = this.#random.pick(MANAGERS);
    const sent = this.#object(true, '');
    const theirs = await this.#ask('POST', `${this.#subject.path}?fieldManager=${manager}`, sent);
    return this.#tracked({
      asked: { verb: 'create', manager, sent },
      before: undefined,
      sent,
      theirs,
      manager,
      subresource: '',
      isPatch: false,
    });
  }

  async #update(before: ApiObject, subresource: string): Promise<Step | undefined> {
    const manager = this.#random.pick(MANAGERS);
    const verb = this.#random.pick(['put', 'merge', ...(this.#subject.resource.custom ? [] : ['strategic'])]);
    const change = this.#object(false, subresource);
    if (this.#random.chance(0.03))
      change.metadata = { ...change.metadata, managedFields: this.#random.pick([[], [{}]]) };
    const asked = { verb, subresource, manager, change, before };
    const url = this.#url(subresource, manager);
    const sent = verb === 'put' ? overlay(before, change) : change;
    const theirs = await (verb === 'put'
      ? this.#ask('PUT', url, sent)
      : this.#ask('PATCH', url, sent, verb === 'merge' ? MERGE : STRATEGIC));
    return this.#tracked({ asked, before, sent, theirs, manager, subresource, isPatch: verb !== 'put' });
  }

  #tracked({ asked, before, sent, theirs, manager, subresource, isPatch }: Tracked): Step | undefined {
    if (theirs.code >= 400) return undefined;
    this.#live = theirs.body;
    const now = timeOf(theirs, manager, 'Update', subresource);
    const { managedFields, ...rest } = theirs.body.metadata ?? {};
    const asSent = sent.metadata?.managedFields;
    // The server's response is the object; fields that this subresource ignores are added as they were sent.
    const ignored = subresource === '' ? (sent['status'] === undefined ? {} : { status: sent['status'] }) : {};
    const after: ApiObject = {
      ...(isPatch || isAllocated(sent) ? theirs.body : withoutAllocated(theirs.body)),
      ...ignored,
      metadata: { ...rest, ...(asSent === undefined ? {} : { managedFields: asSent }) },
    };
    const ours = managedFieldsAfterUpdate({ ...this.#request(manager, subresource, now), before, after });
    return { asked, ours, theirs: managedFields ?? [] };
  }

  #request(manager: string, subresource: string, now: string) {
    const { resource } = this.#subject;
    return { manager, apiVersion: this.#apiVersion, schema: resource.schema, resource, subresource, now };
  }
}

interface Tracked {
  readonly asked: unknown;
  readonly before: ApiObject | undefined;
  readonly sent: ApiObject;
  readonly theirs: Answer;
  readonly manager: string;
  readonly subresource: string;
  readonly isPatch: boolean;
}

/** The server's clock, from its response. */
function timeOf({ body }: Answer, manager: string, operation: ManagedFields['operation'], subresource: string): string {
  const mine = body.metadata?.managedFields?.find(
    (entry) => entry.manager === manager && entry.operation === operation && (entry.subresource ?? '') === subresource,
  );
  const times = body.metadata?.managedFields?.map(({ time = NO_TIME }) => time) ?? [];
  return mine?.time ?? times.toSorted().at(-1) ?? NO_TIME;
}

const overlay = (before: ApiObject, change: ApiObject): ApiObject => ({
  ...before,
  ...change,
  metadata: { ...before.metadata, ...change.metadata },
});

/** Causes come in the order of a Go map. */
function failureOf(status: Partial<StatusError['status']> | ApiObject): unknown {
  const { code, message, reason, details } = status as Partial<StatusError['status']>;
  const causes = details?.causes?.map((cause) => JSON.stringify(cause)).toSorted();
  return { code, message, reason, details: { ...details, causes } };
}

/** Without fields that differ from write to write. */
function comparable({ metadata: meta, ...object }: ApiObject): unknown {
  const {
    resourceVersion: _,
    managedFields: __,
    uid: ___,
    creationTimestamp: ____,
    generation: _____,
    ...rest
  } = meta ?? {};
  return { metadata: rest, ...withoutAllocated(object) };
}

/** Whether the client asked for an address. */
const isAllocated = ({ kind, spec }: ApiObject): boolean =>
  kind !== 'Service' || (spec as { clusterIP?: string } | undefined)?.clusterIP !== undefined;

/** Without the addresses that the server allocates to a new Service; a dry run gets others. */
function withoutAllocated({ spec, ...object }: ApiObject): ApiObject {
  if (object.kind !== 'Service') return spec === undefined ? object : { ...object, spec };
  const {
    clusterIP: _,
    clusterIPs: __,
    ipFamilies: ___,
    ipFamilyPolicy: ____,
    ...others
  } = spec as Record<string, unknown>;
  return { ...object, spec: others };
}
