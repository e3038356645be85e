package demo;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Writes the text of a Greeting into a ConfigMap, and what it said into the status. */
@ControllerConfiguration
public class GreetingReconciler implements Reconciler<Greeting>, Cleaner<Greeting> {
  final AtomicInteger cleaned = new AtomicInteger();

  @Override
  public List<EventSource<?, Greeting>> prepareEventSources(EventSourceContext<Greeting> context) {
    var maps = InformerEventSourceConfiguration.from(ConfigMap.class, Greeting.class).build();
    return List.of(new InformerEventSource<>(maps, context));
  }

  @Override
  public UpdateControl<Greeting> reconcile(Greeting greeting, Context<Greeting> context) {
    var map = new ConfigMapBuilder().withNewMetadata().withName(greeting.getMetadata().getName())
        .withNamespace(greeting.getMetadata().getNamespace()).endMetadata()
        .withData(Map.of("text", greeting.getSpec().text)).build();
    map.addOwnerReference(greeting);
    context.getClient().resource(map).fieldManager("greetings").forceConflicts().serverSideApply();
    var status = new Greeting.Status();
    status.said = greeting.getSpec().text;
    status.observedGeneration = greeting.getMetadata().getGeneration();
    greeting.setStatus(status);
    return UpdateControl.patchStatus(greeting);
  }

  @Override
  public DeleteControl cleanup(Greeting greeting, Context<Greeting> context) {
    cleaned.incrementAndGet();
    return DeleteControl.defaultDelete();
  }
}
