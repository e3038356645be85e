package demo;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.javaoperatorsdk.operator.Operator;
import java.io.FileInputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;

/** An operator on JOSDK, and fabric8's client beside it. Prints a line for each promise. */
public final class Main {
  private static final String NAMESPACE = "default";
  private static boolean failed;

  public static void main(String[] arguments) throws Exception {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      client.load(new FileInputStream(arguments[0])).serverSideApply();
      var greetings = client.resources(Greeting.class).inNamespace(NAMESPACE);
      until("the definition is served", () -> {
        try {
          greetings.list();
          return true;
        } catch (RuntimeException notYet) {
          return false;
        }
      });
      var reconciler = new GreetingReconciler();
      var operator = new Operator(options -> options.withKubernetesClient(client).withCloseClientOnStop(false));
      operator.register(reconciler);
      operator.start();
      System.out.println("ok the operator starts: its watches are open");

      var greeting = new Greeting();
      greeting.getMetadata().setName("hello");
      greeting.getMetadata().setNamespace(NAMESPACE);
      var spec = new Greeting.Spec();
      spec.text = "hello";
      greeting.setSpec(spec);
      client.resource(greeting).create();
      var maps = client.configMaps().inNamespace(NAMESPACE);
      until("a new object is reconciled", () -> text(maps.withName("hello").get()).equals("hello"));
      until("its status is patched", () -> {
        var status = greetings.withName("hello").get().getStatus();
        return status != null && "hello".equals(status.said);
      });
      until("it has the finalizer", () -> !greetings.withName("hello").get().getMetadata().getFinalizers().isEmpty());
      greetings.withName("hello").edit(one -> {
        one.getSpec().text = "bye";
        return one;
      });
      until("a change is reconciled", () -> text(maps.withName("hello").get()).equals("bye"));
      maps.withName("hello").delete();
      until("what the operator made comes back", () -> text(maps.withName("hello").get()).equals("bye"));
      greetings.withName("hello").delete();
      until("a deleted object is cleaned up, then gone",
          () -> reconciler.cleaned.get() > 0 && greetings.withName("hello").get() == null);
      operator.stop();
      fabric8(client);
    }
    System.exit(failed ? 1 : 0);
  }

  /** Informers and watches of the client itself. */
  private static void fabric8(KubernetesClient client) {
    var maps = client.configMaps().inNamespace(NAMESPACE);
    List<String> seen = new CopyOnWriteArrayList<>();
    List<String> watched = new CopyOnWriteArrayList<>();
    var informer = maps.withLabel("of", "fabric8").inform(new ResourceEventHandler<ConfigMap>() {
      public void onAdd(ConfigMap map) {
        seen.add("add " + text(map));
      }

      public void onUpdate(ConfigMap old, ConfigMap map) {
        seen.add("update " + text(map));
      }

      public void onDelete(ConfigMap map, boolean unknown) {
        seen.add("delete " + text(map));
      }
    });
    var watch = maps.withLabel("of", "fabric8").watch(new Watcher<ConfigMap>() {
      public void eventReceived(Action action, ConfigMap map) {
        watched.add(action + " " + text(map));
      }

      public void onClose(WatcherException cause) {}
    });
    var map = new ConfigMapBuilder().withNewMetadata().withName("f8").withLabels(Map.of("of", "fabric8")).endMetadata()
        .withData(Map.of("text", "1")).build();
    maps.resource(map).create();
    maps.withName("f8").edit(one -> new ConfigMapBuilder(one).withData(Map.of("text", "2")).build());
    maps.withName("f8").delete();
    until("an informer sees every change", () -> seen.equals(List.of("add 1", "update 2", "delete 2")));
    until("a watch over WebSocket sees every change", () -> watched.equals(List.of("ADDED 1", "MODIFIED 2", "DELETED 2")));
    watch.close();
    informer.stop();
  }

  private static String text(ConfigMap map) {
    return map == null || map.getData() == null ? "" : map.getData().getOrDefault("text", "");
  }

  private static void until(String title, BooleanSupplier condition) {
    var end = System.nanoTime() + 30_000_000_000L;
    while (System.nanoTime() < end) {
      if (condition.getAsBoolean()) {
        System.out.println("ok " + title);
        return;
      }
      try {
        Thread.sleep(50);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    System.out.println("not ok " + title);
    failed = true;
  }
}
