import Harness

/// All benchmarks of this program. Each workload is a file in Workloads/, and its list is named here.
enum Registry {
    static var all: [Benchmark] {
        ItemFetching.benchmarks + Orders.benchmarks + LookUps.benchmarks + Prefetching.benchmarks + Students.benchmarks
            + ItemInserting.benchmarks + Users.benchmarks + LiveQueries.benchmarks + Commits.benchmarks
            + Migrating.benchmarks + ToOnes.benchmarks + Relationships.benchmarks
            + PostgresItems.benchmarks
    }
}
