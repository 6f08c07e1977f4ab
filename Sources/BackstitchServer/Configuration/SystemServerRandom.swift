/// The machine's generator of random numbers, which is fit for secrets.
public struct SystemServerRandom: ServerRandom {
    /// The machine's generator.
    public init() {}

    /// As many bytes as asked for.
    public func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
