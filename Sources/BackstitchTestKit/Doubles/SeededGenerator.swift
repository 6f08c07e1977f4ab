import Foundation

/// A random generator that gives the same numbers for the same seed: SplitMix64 (Steele, Lea, Flood 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator for this seed.
    public init(seed: UInt64) { state = seed }

    /// Returns the next random number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The seed in the environment variable `BACKSTITCH_SEED`, or else a new one. Print it, so that a failure can be
    /// repeated.
    public static func seed() -> UInt64 {
        if let text = ProcessInfo.processInfo.environment["BACKSTITCH_SEED"], let seed = UInt64(text) { return seed }
        var system = SystemRandomNumberGenerator()
        return system.next() >> 32
    }
}
