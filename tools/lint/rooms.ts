/** One package's source folder and its rooms. */
export interface House {
  readonly root: string;
  /** Folders whose files may import `node:*`. Undefined: all. */
  readonly node?: RegExp;
  readonly rooms: Readonly<Record<string, readonly string[]>>;
}

/**
 * The rooms of each package and the rooms they may import. `npm run lint` fails on any other import.
 *
 * A name stands for the folder and its subfolders (`core` allows `core/async`); `.` is the root folder. `index.ts` files
 * list names for users: they may export from everywhere, and no file of the package imports them.
 */
const LIBRARY: House = {
  root: 'packages/kube-informer/src',
  // Everything but `node/` runs in browsers too; `compat/` wraps client-node, which needs Node itself.
  node: /(?:^|\/)node$|^compat$/,
  rooms: {
    core: [],
    'core/object': ['core'],
    'core/selector': ['core'],
    'core/async': ['core'],
    store: ['core'],
    'informer/list-watch': ['core'],
    'informer/verify': ['core', 'informer/list-watch'],
    'informer/queue': ['core', 'store'],
    'informer/reflector': ['core', 'informer/list-watch', 'informer/verify', 'informer/queue'],
    'informer/handlers': ['core', 'store'],
    'informer/apply': ['core', 'store', 'informer/*'],
    informer: ['core', 'store', 'informer/*'],
    'client/secrets': ['core'],
    'client/codec': ['core'],
    'client/transport': ['core', 'client/secrets'],
    'client/transport/fetch': ['core', 'client/transport'],
    'client/transport/node': ['core', 'client/transport'],
    'client/config': ['core', 'client/secrets'],
    'client/config/node': ['core', 'client/secrets', 'client/transport', 'client/config'],
    'client/auth': ['core', 'client/secrets', 'client/transport', 'client/config'],
    'client/auth/node': ['core', 'client/secrets', 'client/transport', 'client/config', 'client/auth'],
    'client/connect': ['core', 'client/secrets', 'client/transport', 'client/config', 'client/auth'],
    'client/request': ['core', 'client/secrets', 'client/codec', 'client/transport', 'client/config', 'client/auth', 'client/connect'],
    'client/discovery': ['core', 'client/request'],
    client: ['core', 'client/*'],
    cluster: ['core', 'store', 'informer', 'client'],
    compat: ['core', 'store', 'informer', 'client', 'cluster'],
    prometheus: ['core'],
    testing: ['core', 'store', 'informer', 'client', 'cluster'],
  },
}; // prettier-ignore

export const houses: readonly House[] = [LIBRARY];

/** Folders that only have to keep to the number of files. */
export const counted: readonly string[] = ['packages', 'test', 'tools', 'bench'];
