import type { Watches } from '../http/served-watches.ts';
import type { Conversions } from '../conversion/conversions.ts';
import { CustomDefinitions } from '../registry/custom-definitions.ts';
import { serveCustomResource } from '../registry/serve-resource.ts';
import type { Served } from '../registry/served.ts';
import type { Api } from '../verbs/api-context.ts';
import { followGroupServices } from './group-services.ts';
import type { LocalClient } from './local-client.ts';

/** The part of the definitions of a server that its front needs. */
export type FollowedDefinitions = Pick<CustomDefinitions, 'refresh' | 'versionsOf'>;

/**
 * Serves the resources of CustomResourceDefinitions, with APIServices of their groups; ends the watches of
 * resources that are gone.
 */
export function followDefinitions(
  api: Api,
  local: LocalClient,
  watches: Watches,
  conversions: Conversions,
): FollowedDefinitions {
  const { env, store, registry, tracksManagers } = api;
  const definitions = new CustomDefinitions({
    env,
    store,
    registry,
    definitions: registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions') as Served,
    tracksManagers,
    converter: conversions.of,
    serve: (version) => serveCustomResource(store, version),
    removeObject: (served, namespace, name) => void local.removeFrom(served, namespace, name),
    onGone: (served) => watches.endOf(served.map(({ resource }) => resource)),
  });
  // After the definitions: it reads what is served by then.
  const followGroups = followGroupServices(registry, local);
  return {
    refresh: () => {
      definitions.refresh();
      followGroups();
    },
    versionsOf: (definition) => definitions.versionsOf(definition),
  };
}
