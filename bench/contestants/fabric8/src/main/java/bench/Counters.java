package bench;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Counts what handlers are called with, and reads as much of an object as it was asked to. */
final class Counters {
  /** The annotation with the time of a write. */
  private static final String AT = "bench.example.com/at";

  private final boolean readsPhase;
  private long read;
  private long notifications;
  private long left;
  private boolean withLatency;
  private List<Long> latenciesUs = List.of();

  Counters(boolean readsPhase) {
    this.readsPhase = readsPhase;
  }

  <T extends HasMetadata> ResourceEventHandler<T> handler() {
    return new ResourceEventHandler<>() {
      @Override
      public void onAdd(T object) {
        handle(object);
      }

      @Override
      public void onUpdate(T old, T object) {
        handle(object);
      }

      @Override
      public void onDelete(T object, boolean isUnknown) {
        handle(object);
      }
    };
  }

  synchronized long notifications() {
    return notifications;
  }

  /** Answers at once, and again after this many notifications. */
  synchronized void expect(long events, boolean latency) {
    left = events;
    withLatency = latency;
    latenciesUs = new ArrayList<>();
    Main.answer(Map.of("ok", true));
  }

  private synchronized void handle(HasMetadata object) {
    notifications++;
    read += (readsPhase ? Caches.phaseOf(object) : object.getMetadata().getName()).length();
    if (left == 0) return;
    if (withLatency) {
      var at = Long.parseLong(object.getMetadata().getAnnotations().get(AT));
      latenciesUs.add(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) - at);
    }
    left--;
    if (left == 0) Main.answer(Map.of("done", true, "read", read, "latenciesUs", latenciesUs));
  }
}
