import Foundation

/// Runs benchmarks, the sides of each in turn.
struct Runner {
    let options: Options

    /// Runs the chosen benchmarks and writes the results.
    func run(_ benchmarks: [Benchmark]) async throws {
        let picked = benchmarks.filter { options.picks($0.name) }
        guard !picked.isEmpty else {
            throw BenchmarkError(
                "no benchmark is named so; there are \(benchmarks.map(\.name).joined(separator: ", "))")
        }
        if picked.count > 1, options.side == nil { return try runEach(of: picked) }
        var measurements: [Measurement] = []
        for benchmark in picked {
            let time = Stopwatch()
            let found = try await time.measure { try await measure(benchmark) }
            for measurement in found { print(measurement.line) }
            if !found.isEmpty { print("\(benchmark.name) took \(time.text)") }
            measurements += found
        }
        if let path = options.results { try write(measurements, to: URL(fileURLWithPath: path)) }
    }

    /// Runs each benchmark in its own process, so that none inherits the memory of another.
    private func runEach(of benchmarks: [Benchmark]) throws {
        let time = Stopwatch()
        try time.measure {
            for benchmark in benchmarks {
                let lines = try ChildProcess.output(of: options.arguments(for: benchmark.name))
                FileHandle.standardOutput.write(lines)
            }
        }
        print("all took \(time.text)")
    }

    private func measure(_ benchmark: Benchmark) async throws -> [Measurement] {
        let folder = NSTemporaryDirectory() + "/backstitch-bench-\(getpid())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let stage = Stage(folder: folder, scale: options.scale)
        let sides = try await benchmark.prepare(stage)
        if let only = options.side {
            for _ in 0..<(options.rounds ?? 1) {
                for side in sides where side.name.lowercased().hasPrefix(only.lowercased()) {
                    try await side.run(Stopwatch())
                }
            }
            return []
        }
        // One run without measurement: caches and branches get warm.
        if benchmark.warmsUp { for side in sides { try await side.run(Stopwatch()) } }
        var times: [[Stopwatch]] = sides.map { _ in [] }
        for round in 0..<(options.rounds ?? benchmark.rounds) {
            // The first side changes each round. Otherwise a side would always find the machine as one certain other
            // side left it.
            for offset in sides.indices {
                let index = (round + offset) % sides.count
                let stopwatch = Stopwatch()
                try await sides[index].run(stopwatch)
                times[index].append(stopwatch)
            }
        }
        return sides.indices.dropFirst().map { Measurement(benchmark, times[0], times[$0], sides[$0]) }
    }

    /// Writes results to a file. They replace older results of the same benchmarks; other results stay.
    private func write(_ measurements: [Measurement], to file: URL) throws {
        var all: [Measurement] = []
        if FileManager.default.fileExists(atPath: file.path) {
            let names = Set(measurements.map(\.name))
            all = try JSONDecoder().decode([Measurement].self, from: Data(contentsOf: file))
                .filter { !names.contains($0.name) }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(all + measurements).write(to: file)
    }
}
