/// A piece of work done by Backstitch and by the usual alternatives, on the same rows.
package struct Benchmark: Sendable {
    /// The name for the command line, such as `fetch.items`.
    package let name: String
    /// A short description of the measured work.
    package let summary: String
    /// The number of rounds of each side at the full size.
    package var rounds = 5
    /// Whether each side first runs once without measurement. Long work does not need it, since caches and branches get
    /// warm anyway.
    package var warmsUp = true
    /// Makes the data and the sides. The first side is Backstitch.
    package let prepare: @Sendable (Stage) async throws -> [Side]

    package init(
        name: String, summary: String, rounds: Int = 5, warmsUp: Bool = true,
        prepare: @escaping @Sendable (Stage) async throws -> [Side]
    ) {
        self.name = name
        self.summary = summary
        self.rounds = rounds
        self.warmsUp = warmsUp
        self.prepare = prepare
    }
}

/// One of the competitors in a benchmark.
package struct Side {
    /// The name of the side in tables.
    package let name: String
    /// The highest wanted ratio of Backstitch's time to this side's time; nil if the side is for information only.
    package var target: Double?
    /// Does the work once. The measured part runs in ``Stopwatch/measure(_:)``.
    package let run: (Stopwatch) async throws -> Void

    /// Makes the side of Backstitch.
    package static func ours(_ run: @escaping (Stopwatch) async throws -> Void) -> Side {
        Side(name: "Backstitch", target: nil, run: run)
    }

    /// Makes the side of a peer.
    package static func peer(_ name: String, target: Double? = nil, _ run: @escaping (Stopwatch) async throws -> Void)
        -> Side
    {
        Side(name: name, target: target, run: run)
    }

    /// Makes a side with a fixed time in seconds, as a goal. Without a target it only makes the figure readable.
    package static func limit(_ name: String, seconds: Double, target: Double? = 1) -> Side {
        Side(name: name, target: target) { $0.add(wall: seconds, processor: seconds) }
    }
}

/// The place and the size of a benchmark's run.
package struct Stage {
    /// The folder for its files. It is removed afterwards.
    package let folder: String
    /// The part of the full size to run: 1, or less to count instructions.
    package let scale: Double

    /// A number of rows at this scale.
    package func rows(_ full: Int) -> Int { max(1, Int(Double(full) * scale)) }

    /// The path of a file in the folder.
    package func path(_ name: String) -> String { "\(folder)/\(name)" }
}

package struct BenchmarkError: Error, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// Throws unless the sides got the same result: they must have done the same work.
package func expect<Number: Equatable>(_ result: Number, _ expected: Number, _ what: String) throws {
    guard result == expected else { throw BenchmarkError("\(what): \(result) instead of \(expected)") }
}
