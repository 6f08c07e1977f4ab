import Foundation

/// The `main` that the programs of benchmarks share: it does what their command line asks for.
package enum Program {
    /// Lists or runs benchmarks, as the arguments ask; ends the process with status 1 and a line that says why where
    /// that fails.
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
