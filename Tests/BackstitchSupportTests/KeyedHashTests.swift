import BackstitchTestKit
import Crypto
import Foundation
import Testing

@testable import BackstitchSupport

@Suite("HMAC and HKDF over SHA-256")
struct KeyedHashTests {
    @Test("a code is that of RFC 4231's examples")
    func examples() {
        let short = HMACSHA256.code(
            for: Data("what do ya want for nothing?".utf8), key: Data("Jefe".utf8))
        #expect(short.hexadecimal == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        let long = HMACSHA256.code(
            for: Data("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            key: [UInt8](repeating: 0xAA, count: 131))
        #expect(long.hexadecimal == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test("codes and keys agree with another implementation, for keys and messages of any length")
    func agrees() {
        let seed = SeededGenerator.seed()
        print("counted: HMAC and HKDF of seed \(seed)")
        var random = SeededGenerator(seed: seed)
        func bytes(_ most: Int) -> [UInt8] {
            (0..<Int.random(in: 0...most, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
        for _ in 0..<300 {
            let key = bytes(150), message = bytes(300)
            let code = HMAC<Crypto.SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key))
            #expect(HMACSHA256.code(for: message, key: key) == Array(code), "seed \(seed)")
            let derived = HKDF<Crypto.SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: key), info: message, outputByteCount: 32)
            #expect(HKDFSHA256.key(from: key, info: message) == derived.withUnsafeBytes { Array($0) }, "seed \(seed)")
        }
    }
}
