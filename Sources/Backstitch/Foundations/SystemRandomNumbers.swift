#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The system's random numbers, fetched 32 at a time: fetching each one separately would cost more than making an
/// object.
public struct SystemRandomNumbers: RandomNumberGenerator, Sendable {
    private var numbers: ContiguousArray<UInt64> = []
    private static let share = 32

    /// Makes a source without fetched numbers.
    public init() {}

    /// Returns a number that cannot be guessed.
    public mutating func next() -> UInt64 {
        if numbers.isEmpty { numbers = Self.draw() }
        return numbers.removeLast()
    }

    private static func draw() -> ContiguousArray<UInt64> {
        var numbers = ContiguousArray<UInt64>(repeating: 0, count: share)
        let isDrawn = numbers.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            #if canImport(Darwin)
            arc4random_buf(start, bytes.count)
            return true
            #else
            return getentropy(start, bytes.count) == 0
            #endif
        }
        if isDrawn { return numbers }
        var generator = SystemRandomNumberGenerator()
        return ContiguousArray((0..<share).map { _ in generator.next() })
    }
}
