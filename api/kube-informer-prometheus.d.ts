// 4 names

interface PromClient {
    readonly register: PromRegistry;
    readonly Counter: new (configuration: Configuration) => {
        labels(labels: MetricLabels): {
            inc(by?: number): void;
        };
    };
    readonly Gauge: new (configuration: Configuration) => {
        labels(labels: MetricLabels): {
            set(value: number): void;
        };
    };
    readonly Histogram: new (configuration: Configuration & {
        readonly buckets: number[];
    }) => {
        labels(labels: MetricLabels): {
            observe(value: number): void;
        };
    };
}

interface PromMetricsOptions {
    readonly register?: PromRegistry;
    readonly prefix?: string;
}

interface PromRegistry {
    getSingleMetric(name: string): object | undefined;
}

function promMetrics(client: PromClient, options?: PromMetricsOptions): Metrics;

// — reachable through them, not exported —

interface Configuration {
    readonly name: string;
    readonly help: string;
    readonly labelNames: string[];
    readonly registers: any[];
    readonly collect: () => void;
}

interface Counter {
    inc(by?: number): void;
}

interface Gauge {
    set(value: number): void;
}

interface Histogram {
    observe(value: number): void;
}

type MetricLabels = Readonly<Record<string, string>>;

interface Metrics {
    counter(name: string, labels: MetricLabels): Counter;
    gauge(name: string, labels: MetricLabels): Gauge;
    histogram(name: string, labels: MetricLabels, buckets?: readonly number[]): Histogram;
}
