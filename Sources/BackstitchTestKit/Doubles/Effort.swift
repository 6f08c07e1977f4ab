import Foundation

/// How much a test of chance tries. `make test` takes a few tries, as many as find the bug that is planted for the
/// test; `make campaigns` takes the whole number.
package enum Effort {
    /// Whether the whole number is meant.
    package static let isWhole = ProcessInfo.processInfo.environment["BACKSTITCH_CAMPAIGNS"] == "1"

    /// The number in the environment variable `BACKSTITCH_` and `name`, else one of these two.
    package static func size(_ name: String, usual: Int, whole: Int) -> Int {
        number(name) ?? (isWhole ? whole : usual)
    }

    /// The seed in `BACKSTITCH_SEED`, which repeats a run; nil when there is none.
    package static var seed: UInt64? { ProcessInfo.processInfo.environment["BACKSTITCH_SEED"].flatMap { UInt64($0) } }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment["BACKSTITCH_\(name)"].flatMap { Int($0) }
    }
}
