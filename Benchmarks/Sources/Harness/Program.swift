import Foundation

/// The shared `main` of the benchmark programs: it follows the command line.
package enum Program {
    /// Lists or runs benchmarks, as the arguments ask. After a failure it prints the reason in a line, and ends the
    /// process with status 1.
    package static func run(_ benchmarks: [Benchmark], _ arguments: [String]) async {
        do {
            let options = try Options(arguments)
            if options.lists {
                for benchmark in benchmarks { print("\(benchmark.name)  \(benchmark.summary)") }
            } else {
                try await Runner(options: options).run(benchmarks)
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }
}
