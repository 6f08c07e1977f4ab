/// What the programs of benchmarks do with their command line.
package enum Program {
    /// Lists or runs benchmarks, as the arguments ask.
    package static func run(_ benchmarks: [Benchmark], _ arguments: [String]) async throws {
        let options = try Options(arguments)
        if options.lists {
            for benchmark in benchmarks { print("\(benchmark.name)  \(benchmark.summary)") }
        } else {
            try await Runner(options: options).run(benchmarks)
        }
    }
}
