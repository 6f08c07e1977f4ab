import Foundation

/// SHA-256 (FIPS 180-4), included so that the example needs no other package. Your store can use swift-crypto.
enum SHA256 {
    /// The primes for the algorithm's constants. Each round has the first 32 bits of the fraction of a prime's cube
    /// root. The initial state has those of the first eight square roots.
    private static let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }.map(
        Double.init)
    private static let constants = primes.map { fraction(cbrt($0)) }
    private static let start = primes.prefix(8).map { fraction($0.squareRoot()) }

    /// Returns the 32 bytes of the digest.
    static func digest(of message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        bytes += Array(repeating: 0, count: (120 - bytes.count % 64) % 64) + bigEndian(UInt64(message.count) * 8)
        var state = start
        for block in stride(from: 0, to: bytes.count, by: 64) { add(bytes[block..<block + 64], to: &state) }
        return state.flatMap(bigEndian)
    }

    private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (old, new) = (words[index - 15], words[index - 2])
            let low = rotate(old, 7) ^ rotate(old, 18) ^ old >> 3
            let high = rotate(new, 17) ^ rotate(new, 19) ^ new >> 10
            words.append(words[index - 16] &+ low &+ words[index - 7] &+ high)
        }
        var s = state
        for index in 0..<64 {
            let choice = s[4] & s[5] ^ ~s[4] & s[6]
            let sum = s[7] &+ (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) &+ choice
            let first = sum &+ constants[index] &+ words[index]
            let majority = s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]
            let second = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) &+ majority
            s = [first &+ second, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
        }
        for index in state.indices { state[index] &+= s[index] }
    }

    private static func fraction(_ root: Double) -> UInt32 { UInt32((root - root.rounded(.down)) * 4_294_967_296) }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    private static func bigEndian<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
        withUnsafeBytes(of: word.bigEndian, Array.init)
    }
}
