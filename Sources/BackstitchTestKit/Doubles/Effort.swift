import Foundation

/// The number of tries of a random test. `make test` takes a few tries, just enough to find the test's planted bug.
/// `make campaigns` takes the whole number.
package enum Effort {
    /// Whether the tests run the whole number of tries.
    package static let isWhole = ProcessInfo.processInfo.environment["BACKSTITCH_CAMPAIGNS"] == "1"

    /// The number in the environment variable `BACKSTITCH_` plus `name`; otherwise one of these two.
    package static func size(_ name: String, usual: Int, whole: Int) -> Int {
        number(name) ?? (isWhole ? whole : usual)
    }

    /// The seed in `BACKSTITCH_SEED`, which repeats a run; nil when there is none.
    package static var seed: UInt64? { ProcessInfo.processInfo.environment["BACKSTITCH_SEED"].flatMap { UInt64($0) } }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment["BACKSTITCH_\(name)"].flatMap { Int($0) }
    }
}
