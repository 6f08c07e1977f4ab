/// A piece of work that is done by Backstitch and by those whom people would use instead, on the same rows.
struct Benchmark: Sendable {
    /// What picks it on the command line: `fetch.items`.
    let name: String
    /// What is done.
    let summary: String
    /// How often each side does it at the full size.
    var rounds = 5
    /// Makes the data and the sides. The first side is ours.
    let prepare: @Sendable (Stage) async throws -> [Side]
}

/// One of those who do the work.
struct Side {
    /// Its name in tables.
    let name: String
    /// What our time divided by its time should be at most; nil where that is for information only.
    var target: Double?
    /// Does the work once, the measured part of it in ``Stopwatch/measure(_:)``.
    let run: (Stopwatch) async throws -> Void

    /// Ours.
    static func ours(_ run: @escaping (Stopwatch) async throws -> Void) -> Side {
        Side(name: "Backstitch", target: nil, run: run)
    }

    /// A peer's.
    static func peer(_ name: String, target: Double? = nil, _ run: @escaping (Stopwatch) async throws -> Void) -> Side {
        Side(name: name, target: target, run: run)
    }

    /// A fixed time that is aimed at, in seconds; without a target it only makes the figure readable.
    static func limit(_ name: String, seconds: Double, target: Double? = 1) -> Side {
        Side(name: name, target: target) { $0.add(wall: seconds, processor: seconds) }
    }
}

/// Where and how large a benchmark runs.
struct Stage {
    /// The folder for its files, removed afterwards.
    let folder: String
    /// The part of the full size to run: 1, or less to count instructions.
    let scale: Double

    /// A number of rows at this scale.
    func rows(_ full: Int) -> Int { max(1, Int(Double(full) * scale)) }

    /// The path of a file in the folder.
    func path(_ name: String) -> String { "\(folder)/\(name)" }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Throws unless the sides got the same result: they must have done the same work.
func expect<Number: Equatable>(_ result: Number, _ expected: Number, _ what: String) throws {
    guard result == expected else { throw BenchmarkError("\(what): \(result) instead of \(expected)") }
}
