/// The `main` that the programs of benchmarks share: it does what their command line asks for.
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
