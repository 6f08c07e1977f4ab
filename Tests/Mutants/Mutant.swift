import Foundation

/// The bug of a program that was built with the patches beside this file: one for each process, by the environment
/// variable `BACKSTITCH_MUTANT`. `make mutants` puts this file into CloudWire, which the sync store and the server
/// share.
package enum Mutant {
    private static let name = ProcessInfo.processInfo.environment["BACKSTITCH_MUTANT"]

    /// Whether this process has the bug.
    package static func isOn(_ bug: String) -> Bool { name == bug }
}
