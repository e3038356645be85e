/** Counts down the depth of a path. Deeper paths are not offered, because the types of Kubernetes are recursive. */
type Shallower = [never, 0, 1, 2, 3, 4, 5];

/** Whether the type does not list its keys: maps and open objects end a path. */
type IsOpen<T> = string extends keyof T ? true : false;

/**
 * The paths into an object, with dots, at most six deep: `spec.nodeName`, `status.conditions.type`. Lists are passed
 * through.
 */
export type PathOf<T, Depth extends number = 6> = [Depth] extends [0]
  ? never
  : T extends readonly (infer E)[]
    ? PathOf<E, Depth>
    : T extends object
      ? IsOpen<T> extends true
        ? never
        : {
            [K in keyof T & string]: K | `${K}.${PathOf<NonNullable<T[K]>, Shallower[Depth]>}`;
          }[keyof T & string]
      : never;

type Head<P extends string> = P extends `${infer First}.${string}` ? First : P;
type Tail<P extends string, K extends string> = P extends `${K}.${infer Rest}` ? Rest : never;

type Picked<T, P extends string> = T extends readonly (infer E)[]
  ? readonly Picked<E, P>[]
  : T extends object
    ? {
        readonly [K in keyof T as K extends Head<P> ? K : never]: K extends P
          ? T[K]
          : Picked<T[K], Tail<P, K & string>>;
      }
    : T;

/** Paths that every selection includes. */
type Identity =
  | 'apiVersion'
  | 'kind'
  | 'metadata.name'
  | 'metadata.namespace'
  | 'metadata.uid'
  | 'metadata.resourceVersion';

/**
 * An object reduced to some paths and the fields that identify it. Reading anything else does not compile.
 *
 * @example
 * type PodOnNode = Selected<Pod, 'spec.nodeName' | 'status.phase'>;
 */
export type Selected<T, P extends string> = Picked<T, P | Identity>;
