/// A piece of work that is done by Backstitch and by those whom people would use instead, on the same rows.
package struct Benchmark: Sendable {
    /// The name that picks it on the command line: `fetch.items`.
    package let name: String
    /// A short text that says what is measured.
    package let summary: String
    /// How often each side does it at the full size.
    package var rounds = 5
    /// Whether each side does it once more before, unmeasured: not where it takes so long that caches and branches get
    /// warm anyway.
    package var warmsUp = true
    /// Makes the data and the sides. The first side is ours.
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

/// One of those who do the work.
package struct Side {
    /// Its name in tables.
    package let name: String
    /// The most that our time divided by its time should be; nil where that is for information only.
    package var target: Double?
    /// Does the work once, the measured part of it in ``Stopwatch/measure(_:)``.
    package let run: (Stopwatch) async throws -> Void

    /// Ours.
    package static func ours(_ run: @escaping (Stopwatch) async throws -> Void) -> Side {
        Side(name: "Backstitch", target: nil, run: run)
    }

    /// A peer's.
    package static func peer(_ name: String, target: Double? = nil, _ run: @escaping (Stopwatch) async throws -> Void)
        -> Side
    {
        Side(name: name, target: target, run: run)
    }

    /// A fixed time that is aimed at, in seconds; without a target it only makes the figure readable.
    package static func limit(_ name: String, seconds: Double, target: Double? = 1) -> Side {
        Side(name: name, target: target) { $0.add(wall: seconds, processor: seconds) }
    }
}

/// Where and how large a benchmark runs.
package struct Stage {
    /// The folder for its files, removed afterwards.
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
