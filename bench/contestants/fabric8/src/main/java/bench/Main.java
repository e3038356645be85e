package bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;

/** fabric8 as a contestant: shared informers behind the protocol of bench/README.md. */
public final class Main {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Main() {}

  public static void main(String[] args) throws IOException {
    var version = io.fabric8.kubernetes.client.Version.clientVersion();
    answer(Map.of("ready", true, "version", "fabric8 " + version, "heapBytes", collect()));
    var lines = new BufferedReader(new InputStreamReader(System.in));
    var caches = new Caches(JSON.readTree(lines.readLine()));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode command = JSON.readTree(line);
      switch (command.path("do").asText()) {
        case "gc" -> {
          var began = System.nanoTime();
          var heap = collect();
          answer(Map.of("heapBytes", heap, "gcMs", (System.nanoTime() - began) / 2e6));
        }
        case "expect" -> caches.counters.expect(command.path("events").asLong(), command.path("latency").asBoolean());
        case "tell" -> answer(Map.of("notifications", caches.counters.notifications()));
        case "read" -> {
          var began = System.nanoTime();
          var found = 0;
          for (var i = 0; i < command.path("times").asInt(1); i++)
            found = caches.read(command.path("what").asText(), command.path("argument").asText());
          answer(Map.of("found", found, "ns", System.nanoTime() - began));
        }
        default -> answer(Map.of("unsupported", command.path("do").asText()));
      }
    }
    System.exit(0);
  }

  /** Bytes of live objects. */
  private static long collect() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** One line of JSON; every answer carries the CPU time so far. */
  static void answer(Map<String, ?> value) {
    var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Map<String, Object> line = new LinkedHashMap<>(value);
    line.put("cpuUs", system.getProcessCpuTime() / 1_000);
    try {
      var text = JSON.writeValueAsString(line);
      synchronized (System.out) {
        System.out.println(text);
        System.out.flush();
      }
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }
}
