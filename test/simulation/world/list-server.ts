import type { KubeList, ListOptions } from 'kube-informer/core';
import { expired, statusFailure, tooLarge } from 'kube-informer/testing';
import { isTooLargeStatus } from '../../../packages/kube-informer/src/core/status.ts';
import type { Call } from './call.ts';
import { reset } from './faults.ts';
import { decoded, type Item, type State } from './history.ts';
import { tooManyItems, trickle } from './list-body.ts';
import type { Replica } from './replica.ts';
import { FRESH_WAIT_MS, isParsable, type Requests, sorted, stateFor } from './requests.ts';
import type { Purpose } from './traffic.ts';
import type { World } from './world.ts';

/** After this time the transport gives up a request without a response. */
const NO_RESPONSE_MS = 60_000;

/** Answers lists. */
export class ListServer {
  readonly #world: World;
  readonly #requests: Requests;

  constructor(world: World, requests: Requests) {
    this.#world = world;
    this.#requests = requests;
  }

  list(options: ListOptions, signal: AbortSignal): Promise<KubeList<Item>> {
    const purpose = this.#purposeOf(options);
    if (purpose === 'list') this.#world.settled();
    this.#requests.traffic.requested(purpose, options);
    const isMain = purpose === 'list' || purpose === 'page';
    const answer = this.#requests.call<KubeList<Item>>(isMain, signal, (call) => {
      if (this.#world.isDown) return call.fail(this.#requests.refuse(purpose));
      const trouble =
        purpose === 'audit' ? undefined : this.#requests.trouble(stateFor(purpose), options, purpose !== 'probe');
      if (trouble !== undefined) return call.fail(trouble);
      const { resourceVersion = '' } = options;
      if (!isParsable(resourceVersion))
        return call.fail(statusFailure(400, 'BadRequest', `resourceVersion: Invalid value: "${resourceVersion}"`));
      this.#serveList(call, purpose, options, this.#requests.anyReplica('list'), false);
    });
    // A response that the client does not read is the client's own failure: a smaller question would be answered.
    if (isMain)
      answer.catch((error) => void (signal.aborted || isTooLargeStatus(error) || this.#requests.traffic.failed()));
    return answer;
  }

  #purposeOf(options: ListOptions): Purpose {
    if (options.continue !== undefined) return 'page';
    if (options.resourceVersionMatch === 'Exact') return 'audit';
    return options.limit === 1 ? 'probe' : 'list';
  }

  #serveList(call: Call<KubeList<Item>>, purpose: Purpose, options: ListOptions, at: Replica, waited: boolean): void {
    const world = this.#world;
    const { history } = world;
    const { swarm } = world.parts;
    const { resourceVersion: asked = '', continue: token, resourceVersionMatch } = options;
    if (token !== undefined) return this.#servePage(call, token, options);
    if (resourceVersionMatch === 'Exact') {
      if (Number(asked) < history.compacted) return call.fail(expired('the version has been compacted'));
      if (Number(asked) > history.rv) return call.fail(tooLarge(asked, String(history.rv)));
      return this.#answer(call, history.at(Number(asked)), Number(asked), 0, options);
    }
    if (at.cutOff && (asked === '' || Number(asked) > at.rv)) {
      return call.later(NO_RESPONSE_MS, () => call.fail(reset()));
    }
    if (asked === '') {
      world.refresh(at);
      const older = swarm.strikes('older-newest') ? this.#requests.olderThan(history.rv) : undefined;
      if (older === undefined) return this.#answer(call, history.state, history.rv, 0, options);
      world.fault('older-newest', stateFor(purpose));
      if (older < this.#requests.seen) this.#requests.traffic.wentBack();
      return this.#answer(call, history.at(older), older, 0, options);
    }
    const wanted = Number(asked);
    const older =
      wanted > 0 && swarm.strikes('older-list') ? this.#requests.olderThan(Math.min(wanted, at.rv)) : undefined;
    if (older !== undefined) {
      world.fault('older-list', stateFor(purpose));
      return this.#answer(call, history.at(older), older, 0, options);
    }
    if (at.rv >= wanted) return this.#answer(call, at.state, at.rv, 0, options);
    if (!waited) return call.later(FRESH_WAIT_MS, () => this.#serveList(call, purpose, options, at, true));
    world.fault('too-large', stateFor(purpose));
    call.fail(tooLarge(asked, String(at.rv)));
  }

  #servePage(call: Call<KubeList<Item>>, token: string, options: ListOptions): void {
    const world = this.#world;
    const [epoch, rv, offset] = token.split('/').map(Number) as [number, number, number];
    const lost = epoch !== world.epochs.length || rv < world.history.compacted;
    if (lost || world.parts.swarm.strikes('gone-continue')) {
      world.fault('gone-continue', 'listing');
      return call.fail(expired('the provided continue parameter is too old'));
    }
    this.#answer(call, world.history.at(rv), rv, offset, options);
  }

  #answer(call: Call<KubeList<Item>>, state: State, rv: number, offset: number, options: ListOptions): void {
    const { epochs, parts } = this.#world;
    const limit = options.resourceVersion === '0' ? undefined : options.limit;
    const all = sorted(state);
    const page = limit === undefined ? all.slice(offset) : all.slice(offset, offset + limit);
    const next = offset + page.length;
    const items = page.map((entry) => decoded(entry.object));
    if (items.length > 0 && options.limit !== 1 && parts.swarm.strikes('listed-twice')) this.#listTwice(items);
    const metadata = {
      resourceVersion: String(rv),
      ...(next < all.length ? { continue: `${epochs.length}/${rv}/${next}` } : {}),
    };
    const { path } = this.#world;
    const { rewriteList = (list) => list, maxItems = Number.POSITIVE_INFINITY, trickles } = path.layers;
    const isSmall = options.limit === 1;
    const list = isSmall ? { metadata, items } : rewriteList({ metadata, items }, options);
    this.#requests.show(rv);
    const answer = (): void => {
      call.answer(list);
      this.#requests.traffic.answered(this.#purposeOf(options), rv);
    };
    // The response has the state of now, and arrives a little later.
    call.later(parts.dice.between(0.2, 5), () => {
      if (items.length > maxItems) {
        path.strike(`a list of ${items.length} items is too large to be read`);
        return call.fail(tooManyItems(items.length, maxItems));
      }
      if (isSmall || trickles?.(options) !== true) return answer();
      path.strike('a list trickles');
      trickle(call, JSON.stringify(list).length, parts).then(answer, (error: unknown) => call.fail(error));
    });
  }

  #listTwice(items: Item[]): void {
    const { history, parts, clientState, epochs } = this.#world;
    // A delta queue tells two states of one list apart by their versions, which a new epoch does not have.
    if (clientState !== 'listing' || epochs.length > 1) return;
    const twin = parts.dice.pick(items);
    const { uid, resourceVersion } = twin.metadata;
    const earlier = history.entries.findLast(
      ({ rv, object }) => rv < Number(resourceVersion) && object.metadata.uid === uid,
    );
    items.splice(parts.dice.whole(0, items.length), 0, decoded((earlier ?? { object: twin }).object));
    this.#world.fault('listed-twice', clientState);
  }
}
