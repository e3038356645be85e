package bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The informers of one run, one per namespace. */
final class Caches {
  private static final ResourceDefinitionContext WIDGETS =
      new ResourceDefinitionContext.Builder()
          .withGroup("bench.example.com")
          .withVersion("v1")
          .withKind("Widget")
          .withPlural("widgets")
          .withNamespaced(true)
          .build();

  final Counters counters;
  private final List<SharedIndexInformer<? extends HasMetadata>> informers = new ArrayList<>();

  /** Answers when all informers have the initial state. */
  Caches(JsonNode start) {
    var began = System.nanoTime();
    counters = new Counters(start.path("read").asText().equals("phase"));
    KubernetesClient client = new KubernetesClientBuilder().build();
    for (JsonNode namespace : start.path("namespaces")) {
      if (start.path("resource").asText().equals("pods")) open(pods(client, namespace.asText(), start), start);
      else open(widgets(client, namespace.asText(), start), start);
    }
    for (var informer : informers) informer.start().toCompletableFuture().join();
    var objects = informers.stream().mapToInt(informer -> informer.getStore().listKeys().size()).sum();
    Main.answer(Map.of("objects", objects, "wallMs", (System.nanoTime() - began) / 1e6));
  }

  private static SharedIndexInformer<Pod> pods(KubernetesClient client, String namespace, JsonNode start) {
    var all = namespace.isEmpty() ? client.pods().inAnyNamespace() : client.pods().inNamespace(namespace);
    return all.withLabelSelector(start.path("selector").asText()).runnableInformer(0);
  }

  private static SharedIndexInformer<GenericKubernetesResource> widgets(
      KubernetesClient client, String namespace, JsonNode start) {
    var resources = client.genericKubernetesResources(WIDGETS);
    var all = namespace.isEmpty() ? resources.inAnyNamespace() : resources.inNamespace(namespace);
    return all.withLabelSelector(start.path("selector").asText()).runnableInformer(0);
  }

  private <T extends HasMetadata> void open(SharedIndexInformer<T> informer, JsonNode start) {
    informer.addIndexers(Map.of("node", object -> List.of(nodeOf(object))));
    for (var i = 0; i < start.path("handlers").asInt(1); i++) informer.addEventHandler(counters.handler());
    informers.add(informer);
  }

  /** How many objects a read found. */
  int read(String what, String argument) {
    var found = 0;
    for (var informer : informers) {
      var store = informer.getIndexer();
      found += switch (what) {
        case "get" -> store.getByKey(argument) == null ? 0 : 1;
        case "namespace" -> store.byIndex("namespace", argument).size();
        case "index" -> store.byIndex("node", argument).size();
        case "labels" -> count(store.list(), object -> argument.equals(object.getMetadata().getLabels().get("app")));
        default -> count(store.list(), object -> phaseOf(object).equals("Running"));
      };
    }
    return found;
  }

  private static int count(List<? extends HasMetadata> objects, java.util.function.Predicate<HasMetadata> matches) {
    return (int) objects.stream().filter(matches).count();
  }

  static String phaseOf(HasMetadata object) {
    if (object instanceof Pod pod) return pod.getStatus().getPhase();
    Object phase = ((GenericKubernetesResource) object).get("status", "phase");
    return String.valueOf(phase);
  }

  private static String nodeOf(HasMetadata object) {
    if (object instanceof Pod pod) return pod.getSpec().getNodeName();
    Object node = ((GenericKubernetesResource) object).get("spec", "nodeName");
    return String.valueOf(node);
  }
}
