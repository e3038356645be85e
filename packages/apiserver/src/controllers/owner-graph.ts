import type { ApiObject, OwnerReference } from '../core/kube-object.ts';

export interface GraphNode {
  readonly uid: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly OwnerReference[];
  readonly isDeleted: boolean;
  readonly finalizers: readonly string[];
}

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

export const isOwnerGraphBlocked = ({ isDeleted, finalizers }: GraphNode): boolean =>
  isDeleted && finalizers.includes(FOREGROUND);

/** Owners and their dependents, by uid. Unknown owners can have dependents too. */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  put(group: string, resource: string, object: ApiObject): GraphNode {
    const {
      uid = '',
      namespace = '',
      name = '',
      ownerReferences = [],
      finalizers = [],
      deletionTimestamp,
    } = object.metadata ?? {};
    this.#unlink(uid);
    const isDeleted = deletionTimestamp !== undefined;
    const node: GraphNode = { uid, group, resource, namespace, name, owners: ownerReferences, isDeleted, finalizers };
    this.#nodes.set(uid, node);
    for (const owner of ownerReferences) {
      const dependents = this.#dependents.get(owner.uid);
      if (dependents === undefined) this.#dependents.set(owner.uid, new Set([uid]));
      else dependents.add(uid);
    }
    return node;
  }

  remove(uid: string): void {
    this.#unlink(uid);
    this.#nodes.delete(uid);
  }

  dependentsOf(uid: string): GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#nodes.get(dependent) ?? []);
  }

  /** Dependents that must be removed before the owner. */
  blockersOf(uid: string): GraphNode[] {
    return this.dependentsOf(uid).filter(({ owners }) =>
      owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }

  nodesOf(group: string, resource: string): GraphNode[] {
    return [...this.#nodes.values()].filter((node) => node.group === group && node.resource === resource);
  }

  #unlink(uid: string): void {
    for (const owner of this.#nodes.get(uid)?.owners ?? []) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}
