/// The random numbers of the machine.
package enum SystemChance {
    /// A generator of the machine's random numbers.
    package static var generator: any RandomNumberGenerator & Sendable { SystemRandomNumberGenerator() }
}
