/// The operating system's generator of random numbers. It is fit for secrets.
public struct SystemServerRandom: ServerRandom {
    /// Creates access to the system's generator.
    public init() {}

    /// Returns `count` bytes from the system's generator.
    public func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
